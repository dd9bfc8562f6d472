package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.spring.admin.Parcel.Mode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators who are in each other's way, or in the way of a node. */
class AdminRacesIT {
    private final AdminSite site = AdminSite.shared();

    // F171
    @RepeatedTest(5)
    void a_double_click_has_one_effect() throws Exception {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));
        Parcel.mend(saga);

        List<RawHttp.Answer> answers =
                atOnce(() -> site.act("operator", saga, "retry"), () -> site.act("operator", saga, "retry"));

        assertThat(answers.stream().map(RawHttp.Answer::status)).containsExactlyInAnyOrder(200, 409);
        assertThat(site.audit(saga)).containsExactly("operator retry");
        // the second request may have had the row locked when the first wanted to go on with it; here nobody polls
        site.claim(saga);
        eventually(() -> site.status(saga).equals("COMPLETED"));
        assertThat(Parcel.calls(saga, "ship")).isEqualTo(3);
    }

    @RepeatedTest(5)
    void of_two_operators_one_is_first() throws Exception {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));

        List<RawHttp.Answer> answers = atOnce(
                () -> site.act("operator", saga, "force-complete"), () -> site.act("ann", saga, "force-complete"));

        assertThat(answers.stream().map(RawHttp.Answer::status)).containsExactlyInAnyOrder(200, 409);
        String first = answers.get(0).status() == 200 ? "operator" : "ann";
        assertThat(site.audit(saga)).containsExactly(first + " force-complete");
        assertThat(site.status(saga)).isEqualTo("FORCE_COMPLETED");
    }

    // R5
    @RepeatedTest(5)
    void the_same_request_twice_at_once_has_one_effect_and_one_answer() throws Exception {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));
        Supplier<RawHttp.Answer> request = () ->
                site.post("operator", saga, "force-complete", "{\"reason\":\"a\"}", "Idempotency-Key: click-" + saga);

        List<RawHttp.Answer> answers = atOnce(request::get, request::get);
        RawHttp.Answer later = request.get();

        assertThat(answers.stream().map(RawHttp.Answer::status)).containsExactly(200, 200);
        assertThat(Stream.concat(answers.stream(), Stream.of(later))
                        .map(RawHttp.Answer::body)
                        .distinct())
                .hasSize(1);
        assertThat(site.audit(saga)).containsExactly("operator force-complete");
    }

    // R5
    @Test
    void a_key_is_for_one_request_only() {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));
        site.post("operator", saga, "force-complete", "{\"reason\":\"a\"}", "Idempotency-Key: k");

        RawHttp.Answer other = site.post("operator", saga, "retry", "{\"reason\":\"a\"}", "Idempotency-Key: k");

        assertThat(other.status()).isEqualTo(409);
        assertThat(other.code()).isEqualTo("SAGA-ADMIN-006");
    }

    // S18
    @Test
    void an_operator_who_has_seen_something_else_is_refused() {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));
        String seen = site.get("operator", AdminSite.BASE + "/" + saga).header("ETag");
        site.act("ann", saga, "retry");
        site.rest(saga, SagaStatus.FAILED);

        RawHttp.Answer stale = site.post("operator", saga, "force-complete", "{\"reason\":\"a\"}", "If-Match: " + seen);

        assertThat(stale.status()).isEqualTo(412);
        assertThat(stale.code()).isEqualTo("SAGA-ADMIN-005");
        assertThat(site.audit(saga)).containsExactly("ann retry");
        String now = site.get("operator", AdminSite.BASE + "/" + saga).header("ETag");
        assertThat(site.post("operator", saga, "force-complete", "{\"reason\":\"a\"}", "If-Match: " + now)
                        .status())
                .isEqualTo(200);
    }

    // F172
    @ParameterizedTest
    @EnumSource(
            value = Situation.class,
            names = {"RUNNING_HELD", "RUNNING_HELD_TRANSACTIONAL", "COMPENSATING_HELD"})
    void force_completes_what_a_node_works_on_and_the_late_result_is_refused(Situation situation) {
        UUID saga = situation.make(site);

        RawHttp.Answer answer = site.force("operator", saga, "force-complete");

        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        List<String> history = history(saga);
        Parcel.mend(saga);
        eventually(() -> !Parcel.anyHangs(saga));
        assertThat(site.status(saga)).isEqualTo("FORCE_COMPLETED");
        assertThat(history(saga)).isEqualTo(history);
        assertThat(site.audit(saga)).containsExactly("operator force-complete");
        assertThat(site.get("viewer", AdminSite.BASE + "/audit?sagaId=" + saga)
                        .json()
                        .at("/audit/0/forced")
                        .asBoolean())
                .isTrue();
    }

    // F172
    @ParameterizedTest
    @CsvSource({
        "RUNNING_HELD, retry, pay, COMPLETED",
        "RUNNING_HELD_TRANSACTIONAL, retry, book, COMPLETED",
        "COMPENSATING_HELD, retry, reserve, COMPENSATED",
        "COMPENSATING_HELD, retry-compensation, reserve, COMPENSATED"
    })
    void force_tries_again_what_a_node_works_on(Situation situation, String action, String step, String then) {
        UUID saga = situation.make(site);

        assertThat(site.force("operator", saga, action).status()).isEqualTo(200);

        Parcel.mend(saga);
        eventually(() -> site.status(saga).equals(then));
        assertThat(site.audit(saga)).containsExactly("operator " + action);
        assertThat(history(saga).stream().filter(line -> line.startsWith(step) && line.endsWith("SUCCEEDED")))
                .hasSize(step.equals("reserve") ? 2 : 1);
        assertThat(attempts(saga, step)).isGreaterThan(1);
    }

    // F172: a write is under way when the operator acts
    @Test
    void an_operator_waits_for_a_write_and_then_decides_anew() throws Exception {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));
        try (Connection other = site.context().getBean(DataSource.class).getConnection()) {
            other.setAutoCommit(false);
            execute(other, "update saga_instance set seq = seq + 1 where saga_id = '" + saga + "'");
            CompletableFuture<RawHttp.Answer> answer =
                    CompletableFuture.supplyAsync(() -> site.act("operator", saga, "force-complete"));
            eventually(
                    () -> site.sql().queryForObject("select count(*) from pg_locks where not granted", Long.class) > 0);
            other.commit();

            assertThat(answer.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        }
        assertThat(site.audit(saga)).containsExactly("operator force-complete");
        assertThat(site.status(saga)).isEqualTo("FORCE_COMPLETED");
    }

    @Test
    void a_row_that_stays_locked_is_told_and_left_alone() throws Exception {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));
        try (Connection other = site.context().getBean(DataSource.class).getConnection()) {
            other.setAutoCommit(false);
            execute(other, "select 1 from saga_instance where saga_id = '" + saga + "' for update");

            RawHttp.Answer answer = site.act("operator", saga, "force-complete");

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.code()).isEqualTo("SAGA-DB-012");
            other.rollback();
        }
        assertThat(site.audit(saga)).isEmpty();
        assertThat(site.status(saga)).isEqualTo("FAILED");
    }

    // F110
    @Test
    void what_is_cancelled_is_undone_to_the_end() {
        UUID saga = site.start(Parcel.ok().paying(Mode.HANG).undoing(Mode.HANG));
        Parcel.awaitHanging(saga, "pay");
        assertThat(site.act("operator", saga, "cancel").status()).isEqualTo(202);
        eventually(() -> site.mailIsRead(saga));
        Parcel.mend(saga, "pay");
        Parcel.awaitHanging(saga, "undo");

        assertThat(site.act("operator", saga, "cancel").status()).isEqualTo(409);
        assertThat(site.status(saga)).isEqualTo("COMPENSATING");

        Parcel.mend(saga);
        eventually(() -> site.status(saga).equals("COMPENSATED"));
        assertThat(Parcel.timesUndone(saga)).isEqualTo(1);
        assertThat(site.row(saga).get("reason")).isEqualTo("CANCELLED");
        assertThat(site.audit(saga)).containsExactly("operator cancel");
    }

    // F115
    @Test
    void it_is_compensating_until_the_last_compensation_has_ended() {
        UUID saga = Situation.COMPENSATING_HELD.make(site);

        assertThat(shown(saga)).isEqualTo("COMPENSATING");
        assertThat(site.sagas().await(saga, Duration.ofMillis(1)).ended()).isFalse();

        Parcel.mend(saga);
        eventually(() -> shown(saga).equals("COMPENSATED"));
        assertThat(Parcel.timesUndone(saga)).isEqualTo(1);
    }

    @Test
    void one_saga_ends_compensated_and_another_is_ended_by_hand() {
        UUID mended = parked(Parcel.ok().paying(Mode.REJECT).undoing(Mode.FAIL));
        UUID hopeless = parked(Parcel.ok().paying(Mode.REJECT).undoing(Mode.FAIL));
        Parcel.mend(mended);

        assertThat(site.act("operator", mended, "retry-compensation").status()).isEqualTo(200);
        assertThat(site.act("ann", hopeless, "force-complete").status()).isEqualTo(200);

        eventually(() -> site.status(mended).equals("COMPENSATED"));
        assertThat(site.status(hopeless)).isEqualTo("FORCE_COMPLETED");
        assertThat(Parcel.timesUndone(mended)).isEqualTo(1);
        assertThat(Parcel.timesUndone(hopeless)).isZero();
        assertThat(site.audit(mended)).containsExactly("operator retry-compensation");
        assertThat(site.audit(hopeless)).containsExactly("ann force-complete");
    }

    // R21
    @Test
    void a_saga_that_is_deleted_meanwhile_is_404() {
        UUID saga = site.rest(site.start(Parcel.ok()), SagaStatus.COMPLETED);
        site.sql().update("delete from saga_step_history where saga_id = ?", saga);
        site.sql().update("delete from saga_instance where saga_id = ?", saga);

        assertThat(site.get("viewer", AdminSite.BASE + "/" + saga).status()).isEqualTo(404);
        assertThat(site.get("viewer", AdminSite.BASE + "/" + saga + "/history").status())
                .isEqualTo(404);
        assertThat(site.act("operator", saga, "retry").status()).isEqualTo(404);
    }

    // R21
    @Test
    void a_saga_that_is_deleted_while_an_operator_waits_for_it_is_404() throws Exception {
        UUID saga = parked(Parcel.ok().shipping(Mode.FAIL));
        try (Connection other = site.context().getBean(DataSource.class).getConnection()) {
            other.setAutoCommit(false);
            execute(other, "delete from saga_instance where saga_id = '" + saga + "'");
            CompletableFuture<RawHttp.Answer> answer =
                    CompletableFuture.supplyAsync(() -> site.act("operator", saga, "retry"));
            eventually(
                    () -> site.sql().queryForObject("select count(*) from pg_locks where not granted", Long.class) > 0);
            other.commit();

            assertThat(answer.get(30, TimeUnit.SECONDS).status()).isEqualTo(404);
        }
        assertThat(site.audit(saga)).isEmpty();
    }

    private UUID parked(Parcel parcel) {
        return site.rest(site.start(parcel), SagaStatus.FAILED);
    }

    private String shown(UUID saga) {
        return site.get("viewer", AdminSite.BASE + "/" + saga)
                .json()
                .at("/instance/status")
                .asString();
    }

    private List<String> history(UUID saga) {
        return site.sql()
                .queryForList(
                        "select step || ' ' || phase || ' ' || outcome from saga_step_history where saga_id = ?"
                                + " order by seq, ordinal",
                        String.class,
                        saga);
    }

    private int attempts(UUID saga, String step) {
        return Parcel.calls(saga, step.equals("reserve") ? "undo" : step);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<RawHttp.Answer> atOnce(Callable<RawHttp.Answer> one, Callable<RawHttp.Answer> other)
            throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        List<CompletableFuture<RawHttp.Answer>> both = Stream.of(one, other)
                .map(call -> CompletableFuture.supplyAsync(() -> after(start, call)))
                .toList();
        return List.of(both.get(0).get(60, TimeUnit.SECONDS), both.get(1).get(60, TimeUnit.SECONDS));
    }

    private static RawHttp.Answer after(CyclicBarrier start, Callable<RawHttp.Answer> call) {
        try {
            start.await(60, TimeUnit.SECONDS);
            return call.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void eventually(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }
}
