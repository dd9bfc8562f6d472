package io.backstep.saga.engine;

import static io.backstep.saga.admin.AdminAction.CANCEL;
import static io.backstep.saga.admin.AdminAction.COMPENSATE;
import static io.backstep.saga.admin.AdminAction.FORCE_COMPLETE;
import static io.backstep.saga.admin.AdminAction.RESOLVE;
import static io.backstep.saga.admin.AdminAction.RETRY;
import static io.backstep.saga.admin.AdminAction.RETRY_COMPENSATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminAnswer;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaAdminException;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What operators do with sagas, on virtual time. */
class OperatorsTest extends EngineFixture {
    private static final AdminRequest ANN = AdminRequest.by("ann", "because");
    private static final Retry RARELY = Retry.fixed(Duration.ofHours(2)).maxAttempts(3);

    private int compensationFailures;
    private int pivotFailures;
    private int lateFailures;

    private SagaStage<Input> oneDone() {
        return define().step("one").action(c -> calls.add("one")).compensate(c -> {
            calls.add("undo one");
            if (compensationFailures-- > 0) {
                throw new StepRejectedException("NO", "no");
            }
        });
    }

    private SagaDefinition<Input> waiting() {
        return oneDone()
                .step("two")
                .action(c -> call("two", 1))
                .compensate(c -> calls.add("undo two"))
                .retry(RARELY)
                .build();
    }

    private SagaDefinition<Input> rejected() {
        return oneDone()
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
    }

    private SagaDefinition<Input> decided() {
        return oneDone()
                .pivot("decide")
                .action(c -> {
                    calls.add("decide");
                    if (pivotFailures-- > 0) {
                        throw new IOException("away");
                    }
                })
                .retry(Retry.none())
                .retriable("late")
                .action(c -> {
                    calls.add("late");
                    if (lateFailures-- > 0) {
                        throw new IOException("away");
                    }
                })
                .retry(Retry.none())
                .build();
    }

    /** Its first compensation waits two hours. */
    private SagaDefinition<Input> undoing() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> call("undo one", 1))
                .compensationRetry(RARELY)
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
    }

    private static SagaAdmin admin(TestNode node) {
        return SagaAdmin.of(node.engine);
    }

    private List<AuditRow> audit(UUID id) {
        return memory.audit(new AuditQuery(id, null, null, 100));
    }

    private record Case(TestNode node, UUID id) {}

    /** A saga in the state of that name. */
    private Case given(String state) {
        if (state.startsWith("LOST")) {
            return state.equals("LOST")
                    ? lost(waiting(), SagaStatus.RUNNING)
                    : lost(rejected(), SagaStatus.COMPENSATING);
        }
        TestNode node = node(
                switch (state) {
                    case "RUNNING" -> waiting();
                    case "COMPENSATING" -> undoing();
                    case "FAILED_BACKWARD", "COMPENSATED" -> rejected();
                    default -> decided();
                });
        compensationFailures = state.equals("FAILED_BACKWARD") ? 1 : 0;
        pivotFailures = state.equals("FAILED_PIVOT") ? 1 : 0;
        lateFailures = state.equals("FAILED_LATE") ? 1 : 0;
        UUID id = start(node);
        time.runUntil(() -> row(id).owner() == null);
        return new Case(node, id);
    }

    /** Its node died, its lease has run out, and no other node has looked since. */
    private Case lost(SagaDefinition<Input> definition, SagaStatus status) {
        TestNode other = node(definition);
        TestNode node = node(definition);
        UUID id = start(node);
        time.runUntil(() -> calls.contains("one") && row(id).status() == status);
        node.kill();
        time.pass(Duration.ofMinutes(1));
        return new Case(other, id);
    }

    @ParameterizedTest(name = "{0} of {1}: {2}, {3}")
    @CsvSource(delimiter = '|', textBlock = """
            RETRY              | RUNNING         | SAGA-ADMIN-002 | RUNNING
            RETRY_COMPENSATION | RUNNING         | SAGA-ADMIN-002 | RUNNING
            COMPENSATE         | RUNNING         | done           | COMPENSATED (OPERATOR)
            CANCEL             | RUNNING         | done           | COMPENSATED (CANCELLED)
            FORCE_COMPLETE     | RUNNING         | done           | FORCE_COMPLETED
            RETRY              | COMPENSATING    | SAGA-ADMIN-002 | COMPENSATING (REJECTED)
            RETRY_COMPENSATION | COMPENSATING    | SAGA-ADMIN-002 | COMPENSATING (REJECTED)
            COMPENSATE         | COMPENSATING    | SAGA-ADMIN-002 | COMPENSATING (REJECTED)
            CANCEL             | COMPENSATING    | SAGA-ADMIN-002 | COMPENSATING (REJECTED)
            FORCE_COMPLETE     | COMPENSATING    | done           | FORCE_COMPLETED (REJECTED)
            RETRY              | FAILED_BACKWARD | done           | COMPENSATED (REJECTED)
            RETRY_COMPENSATION | FAILED_BACKWARD | done           | COMPENSATED (REJECTED)
            COMPENSATE         | FAILED_BACKWARD | SAGA-ADMIN-002 | FAILED (COMPENSATION_EXHAUSTED)
            CANCEL             | FAILED_BACKWARD | SAGA-ADMIN-002 | FAILED (COMPENSATION_EXHAUSTED)
            FORCE_COMPLETE     | FAILED_BACKWARD | done           | FORCE_COMPLETED (REJECTED)
            RETRY              | FAILED_PIVOT    | done           | COMPLETED
            RETRY_COMPENSATION | FAILED_PIVOT    | SAGA-ADMIN-002 | FAILED (PIVOT_UNKNOWN)
            COMPENSATE         | FAILED_PIVOT    | SAGA-ADMIN-002 | FAILED (PIVOT_UNKNOWN)
            CANCEL             | FAILED_PIVOT    | pending        | FAILED (PIVOT_UNKNOWN)
            FORCE_COMPLETE     | FAILED_PIVOT    | done           | FORCE_COMPLETED
            RETRY              | FAILED_LATE     | done           | COMPLETED
            RETRY_COMPENSATION | FAILED_LATE     | SAGA-ADMIN-002 | FAILED (RETRIABLE_EXHAUSTED)
            COMPENSATE         | FAILED_LATE     | SAGA-ADMIN-002 | FAILED (RETRIABLE_EXHAUSTED)
            CANCEL             | FAILED_LATE     | SAGA-ADMIN-002 | FAILED (RETRIABLE_EXHAUSTED)
            FORCE_COMPLETE     | FAILED_LATE     | done           | FORCE_COMPLETED
            RETRY              | COMPLETED       | SAGA-ADMIN-002 | COMPLETED
            RETRY_COMPENSATION | COMPLETED       | SAGA-ADMIN-002 | COMPLETED
            COMPENSATE         | COMPLETED       | SAGA-ADMIN-002 | COMPLETED
            CANCEL             | COMPLETED       | SAGA-ADMIN-002 | COMPLETED
            FORCE_COMPLETE     | COMPLETED       | SAGA-ADMIN-002 | COMPLETED
            RETRY              | COMPENSATED     | SAGA-ADMIN-002 | COMPENSATED (REJECTED)
            RETRY_COMPENSATION | COMPENSATED     | SAGA-ADMIN-002 | COMPENSATED (REJECTED)
            COMPENSATE         | COMPENSATED     | SAGA-ADMIN-002 | COMPENSATED (REJECTED)
            CANCEL             | COMPENSATED     | SAGA-ADMIN-002 | COMPENSATED (REJECTED)
            FORCE_COMPLETE     | COMPENSATED     | SAGA-ADMIN-002 | COMPENSATED (REJECTED)
            RETRY              | LOST            | done           | RUNNING
            RETRY_COMPENSATION | LOST            | SAGA-ADMIN-002 | RUNNING
            COMPENSATE         | LOST            | done           | COMPENSATED (OPERATOR)
            CANCEL             | LOST            | done           | COMPENSATED (CANCELLED)
            FORCE_COMPLETE     | LOST            | done           | FORCE_COMPLETED
            RETRY              | LOST_BACKWARD   | done           | COMPENSATED (REJECTED)
            RETRY_COMPENSATION | LOST_BACKWARD   | done           | COMPENSATED (REJECTED)
            COMPENSATE         | LOST_BACKWARD   | SAGA-ADMIN-002 | COMPENSATED (REJECTED)
            CANCEL             | LOST_BACKWARD   | SAGA-ADMIN-002 | COMPENSATED (REJECTED)
            FORCE_COMPLETE     | LOST_BACKWARD   | done           | FORCE_COMPLETED (REJECTED)
            """)
    void every_action_in_every_state(AdminAction action, String state, String answer, String then) { // R2, F026, F171
        Case given = given(state);
        SagaAdmin admin = admin(given.node());
        boolean allowed = admin.find(given.id()).orElseThrow().allowed().contains(action);
        assertThat(allowed).as("told as allowed").isEqualTo(!answer.startsWith("SAGA"));
        if (answer.startsWith("SAGA")) {
            assertThatThrownBy(() -> admin.act(action, given.id(), ANN))
                    .isInstanceOf(SagaAdminException.class)
                    .hasMessageStartingWith(answer + ": " + action.code())
                    .hasMessageContaining("allowed now: ");
            assertThat(audit(given.id())).isEmpty();
        } else {
            AdminAnswer done = admin.act(action, given.id(), ANN);
            assertThat(done.pending()).isEqualTo(answer.equals("pending"));
            if (action == AdminAction.FORCE_COMPLETE) {
                assertThat(done.after())
                        .as("why it had turned is no reason for this")
                        .isEqualTo("FORCE_COMPLETED");
            }
            assertThat(audit(given.id())).hasSize(1);
            if (state.equals("LOST_BACKWARD")) {
                assertThat(history(given.id())).contains("one COMPENSATION 1 ABANDONED");
            }
        }
        time.run(Duration.ofMinutes(1));
        assertThat(shown(given.id())).isEqualTo(then);
    }

    private String shown(UUID id) {
        SagaReason reason = row(id).reason();
        return row(id).status() + (reason == null ? "" : " (" + reason + ")");
    }

    @Test
    void only_what_is_left_is_compensated_again() { // F107
        compensationFailures = 1;
        TestNode node = node(define().step("zero")
                .action(c -> calls.add("zero"))
                .compensate(c -> calls.add("undo zero"))
                .step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> {
                    calls.add("undo one");
                    if (compensationFailures-- > 0) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build());
        UUID id = start(node);
        end(node, id);
        calls.clear();
        admin(node).retryCompensation(id, ANN);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("undo one");
    }

    @Test
    void the_audit_says_who_when_why_before_and_after() {
        Case given = given("FAILED_BACKWARD");
        admin(given.node()).retryCompensation(given.id(), AdminRequest.by("ann", "<b>mended</b>"));
        AuditRow row = audit(given.id()).get(0);
        assertThat(row.at()).isEqualTo(time.now());
        assertThat(row.entry().actor()).isEqualTo("ann");
        assertThat(row.entry().reason()).isEqualTo("<b>mended</b>");
        assertThat(row.entry().action()).isEqualTo("retry-compensation");
        assertThat(row.entry().before()).isEqualTo("FAILED (COMPENSATION_EXHAUSTED)");
        assertThat(row.entry().after()).isEqualTo("COMPENSATING (REJECTED)");
        assertThat(row.entry().accepted()).isFalse();
        assertThat(row.entry().forced()).isFalse();
    }

    @Test
    void when_the_audit_cannot_be_written_nothing_is_done() {
        Case given = given("FAILED_BACKWARD");
        store.auditAway = true;
        assertThatThrownBy(() -> admin(given.node()).forceComplete(given.id(), ANN))
                .hasMessageContaining("audit");
        assertThat(row(given.id()).status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void a_retry_grants_fresh_attempts_and_lifts_the_deadline() { // F171
        TestNode node = node(oneDone()
                .step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .pivot("decide")
                .action(c -> call("decide", 3))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .deadline(Duration.ofHours(1))
                .build());
        UUID id = start(node);
        end(node, id);
        time.run(Duration.ofHours(2));
        admin(node).retry(id, ANN);
        assertThat(row(id).deadline()).isNull();
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two", "decide", "decide", "decide", "decide");
    }

    @Test
    void a_double_click_has_one_effect_and_one_row() { // R5
        Case given = given("FAILED_LATE");
        AdminRequest request = ANN.withKey("click-1");
        AdminAnswer first = admin(given.node()).retry(given.id(), request);
        AdminAnswer second = admin(given.node()).retry(given.id(), request);
        assertThat(second).isEqualTo(first);
        assertThat(audit(given.id())).hasSize(1);
        end(given.node(), given.id());
        assertThat(admin(given.node()).retry(given.id(), request)).isEqualTo(first);
        assertThatThrownBy(() -> admin(given.node()).forceComplete(given.id(), request))
                .hasMessageStartingWith("SAGA-ADMIN-006");
    }

    @Test
    void what_waits_already_is_not_asked_for_twice() {
        Case given = given("FAILED_PIVOT");
        SagaAdmin admin = admin(given.node());
        admin.cancel(given.id(), ANN.withKey("click-1"));
        assertThatThrownBy(() -> admin.cancel(given.id(), AdminRequest.by("bob", "me too")))
                .hasMessageStartingWith("SAGA-ADMIN-002")
                .hasMessageContaining("was asked for before");
        assertThat(admin.cancel(given.id(), ANN.withKey("click-1")).pending()).isTrue();
        assertThat(audit(given.id())).hasSize(1);
    }

    @Test
    void inside_a_transaction_nothing_is_done() {
        Case given = given("FAILED_LATE");
        SagaAdmin admin = admin(given.node());
        assertThatThrownBy(() -> memory.transactions().inTransaction(() -> admin.retry(given.id(), ANN)))
                .hasMessageStartingWith("SAGA-ADMIN-008");
        assertThat(row(given.id()).status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void a_double_click_at_the_same_moment_has_one_answer() { // R5
        Case given = given("FAILED_LATE");
        AdminRequest request = ANN.withKey("click-1");
        List<AdminAnswer> first = new ArrayList<>();
        store.beforeInspect = () -> first.add(admin(given.node()).forceComplete(given.id(), request));
        AdminAnswer second = admin(given.node()).forceComplete(given.id(), request);
        assertThat(first).containsExactly(second);
        assertThat(audit(given.id())).hasSize(1);
    }

    @Test
    void a_second_operator_is_told_that_it_goes_on() {
        Case given = given("FAILED_LATE");
        admin(given.node()).retry(given.id(), ANN);
        assertThatThrownBy(() -> admin(given.node()).retry(given.id(), AdminRequest.by("bob", "me too")))
                .hasMessageContaining("is RUNNING");
        assertThat(audit(given.id())).hasSize(1);
    }

    @Test
    void a_stale_version_is_refused() {
        Case given = given("FAILED_LATE");
        SagaAdmin admin = admin(given.node());
        String seen = admin.find(given.id()).map(SagaDetail::version).orElseThrow();
        assertThatThrownBy(() -> admin.retry(given.id(), ANN.ifVersion("7.7")))
                .isInstanceOf(SagaAdminException.class)
                .hasMessageStartingWith("SAGA-ADMIN-005");
        admin.retry(given.id(), ANN.ifVersion(seen));
        SagaAdminException again =
                catchThrowableOfType(SagaAdminException.class, () -> admin.retry(given.id(), ANN.ifVersion(seen)));
        assertThat(again.kind()).isEqualTo(SagaAdminException.Kind.STALE);
    }

    @Test
    void nothing_can_be_done_with_what_is_not_there() { // R1
        SagaAdmin admin = admin(node(waiting()));
        for (AdminAction action : AdminAction.values()) {
            SagaAdminException refused =
                    catchThrowableOfType(SagaAdminException.class, () -> admin.act(action, new UUID(1, 1), ANN));
            assertThat(refused.kind()).isEqualTo(SagaAdminException.Kind.UNKNOWN);
        }
        assertThat(admin.find(new UUID(1, 1))).isEmpty();
    }

    @Test
    void who_and_why_are_needed() { // R3
        List<String> wrong = Arrays.asList(null, "", "   ", "x".repeat(501), "a\u0000b");
        wrong.forEach(text -> assertThatThrownBy(() -> AdminRequest.by("ann", text))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-REQ-001: reason"));
        assertThatThrownBy(() -> AdminRequest.by(" ", "why")).hasMessageStartingWith("SAGA-REQ-001: actor");
        assertThat(AdminRequest.by("ann", "x".repeat(500)).reason()).hasSize(500);
    }

    /** Runs an operator's action from inside the second step, while the node holds the saga. */
    private UUID meanwhile(BiConsumer<SagaAdmin, UUID> operator) {
        TestNode[] node = new TestNode[1];
        Throwable[] wrong = new Throwable[1];
        node[0] = node(oneDone()
                .step("two")
                .action(c -> {
                    calls.add("two");
                    if (calls.stream().filter("two"::equals).count() == 1) {
                        wrong[0] = catchThrowable(() -> operator.accept(admin(node[0]), c.sagaId()));
                    }
                })
                .compensate(c -> calls.add("undo two"))
                .build());
        UUID id = start(node[0]);
        end(node[0], id);
        assertThat(wrong[0]).as("what the engine takes for the step's failure").isNull();
        return id;
    }

    @ParameterizedTest
    @CsvSource({"RETRY", "FORCE_COMPLETE"})
    void a_running_attempt_is_not_broken_off(AdminAction action) { // F016, F172
        UUID id = meanwhile((admin, saga) -> assertThatThrownBy(() -> admin.act(action, saga, ANN))
                .hasMessageStartingWith("SAGA-ADMIN-003")
                .hasMessageContaining("is working on it until"));
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(audit(id)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"CANCEL, CANCELLED", "COMPENSATE, OPERATOR"})
    void a_running_attempt_ends_before_the_saga_turns(AdminAction action, SagaReason reason) { // F172
        UUID id = meanwhile((admin, saga) -> {
            AdminAnswer answer = admin.act(action, saga, ANN);
            assertThat(answer.pending()).isTrue();
            assertThat(answer.after()).isEqualTo("RUNNING, " + action.code() + " waits");
            assertThatThrownBy(() -> admin.act(action, saga, AdminRequest.by("bob", "me too")))
                    .hasMessageContaining("it is being compensated already");
        });
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(row(id).reason()).isEqualTo(reason);
        assertThat(calls).containsExactly("one", "two", "undo two", "undo one");
        assertThat(audit(id)).hasSize(1);
    }

    @Test
    void force_completes_over_a_running_attempt_whose_result_is_refused() {
        UUID id = meanwhile((admin, saga) ->
                assertThat(admin.forceComplete(saga, ANN.forced()).pending()).isFalse());
        time.run(Duration.ofMinutes(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
        assertThat(history(id))
                .contains("two ACTION 1 ABANDONED", " SAGA 0 ENDED")
                .doesNotContain("two ACTION 1 SUCCEEDED");
        assertThat(audit(id).get(0).entry().forced()).isTrue();
    }

    @Test
    void retries_by_force_what_is_under_way() {
        UUID id = meanwhile((admin, saga) -> admin.retry(saga, ANN.forced()));
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id)).contains("two ACTION 1 ABANDONED", "two ACTION 1 SUCCEEDED");
        assertThat(calls).containsExactly("one", "two", "two");
    }

    @Test
    void retries_by_force_at_once_what_waits() {
        Case given = given("RUNNING");
        admin(given.node()).retry(given.id(), ANN.forced());
        end(given.node(), given.id());
        assertThat(time.elapsed()).isLessThan(Duration.ofMinutes(1));
        assertThat(shown(given.id())).isEqualTo("COMPLETED");
        assertThat(audit(given.id()).get(0).entry().forced()).isFalse();
    }

    /** Its next attempt is intended, and nobody has called it. */
    private Case intended() {
        Case given = given("RUNNING");
        given.node().pause();
        admin(given.node()).retry(given.id(), ANN.forced());
        assertThat(row(given.id()).owner()).isNull();
        return given;
    }

    @Test
    void what_nobody_has_called_is_not_told_as_broken_off() {
        Case given = intended();
        admin(given.node()).retry(given.id(), ANN.forced());
        assertThat(history(given.id())).doesNotContain("two ACTION 1 ABANDONED");
        admin(given.node()).forceComplete(given.id(), ANN);
        assertThat(history(given.id())).contains(" SAGA 0 ENDED").doesNotContain("two ACTION 1 ABANDONED");
    }

    @Test
    void what_a_lost_node_has_begun_is_tried_again_at_once() { // F026
        Case lost = given("LOST");
        AdminAnswer answer = admin(lost.node()).retry(lost.id(), ANN);
        assertThat(answer.pending()).isFalse();
        assertThat(answer.after()).isEqualTo("RUNNING");
        end(lost.node(), lost.id());
        assertThat(history(lost.id())).contains("two ACTION 1 ABANDONED").endsWith(" SAGA 0 ENDED");
        assertThat(calls).containsExactly("one", "two", "two");
        assertThat(audit(lost.id()).get(0).entry().forced()).isFalse();
    }

    @Test
    void what_a_lost_node_may_have_done_is_undone_too() {
        Case lost = given("LOST");
        admin(lost.node()).compensate(lost.id(), ANN);
        end(lost.node(), lost.id());
        assertThat(history(lost.id())).contains("two ACTION 1 TAKEN_OVER");
        assertThat(calls).containsExactly("one", "undo two", "undo one");
    }

    @Test
    void listeners_hear_of_a_saga_that_was_ended_by_hand() {
        List<String> heard = new ArrayList<>();
        TestNode node = listening(
                new SagaListener() {
                    @Override
                    public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
                        heard.add(before + " -> " + saga.status());
                    }
                },
                decided());
        lateFailures = 1;
        UUID id = start(node);
        end(node, id);
        admin(node).forceComplete(id, ANN);
        assertThat(heard).containsExactly("RUNNING -> FAILED", "FAILED -> FORCE_COMPLETED");
    }

    @Test
    void a_node_that_does_not_know_the_definition_can_end_the_saga_but_not_retry_it() { // F085
        Case given = given("FAILED_LATE");
        TestNode stranger = node(TestNode.tuning());
        SagaDetail detail = admin(stranger).find(given.id()).orElseThrow();
        assertThat(detail.allowed()).containsExactly(FORCE_COMPLETE);
        assertThat(detail.why()).contains("no attempts left");
        assertThatThrownBy(() -> admin(stranger).retry(given.id(), ANN)).hasMessageStartingWith("SAGA-ADMIN-004");
        admin(stranger).forceComplete(given.id(), ANN);
        assertThat(shown(given.id())).isEqualTo("FORCE_COMPLETED");
    }

    @Test
    void the_detail_shows_steps_compensations_and_what_is_next() { // F182
        Case given = given("COMPENSATING");
        SagaDetail detail = admin(given.node()).find(given.id()).orElseThrow();
        assertThat(detail.held()).isFalse();
        assertThat(detail.steps().get(0).status()).isEqualTo(StepStatus.COMPENSATING);
        assertThat(detail.steps().get(0).nextAttemptAt())
                .isEqualTo(row(given.id()).dueAt());
        assertThat(detail.steps().get(0).lastError()).contains("undo one is away");
        assertThat(detail.compensations()).hasSize(1);
        assertThat(detail.compensations().get(0).nextRetryAt())
                .isEqualTo(row(given.id()).dueAt());
        assertThat(detail.allowed()).containsExactly(FORCE_COMPLETE, RESOLVE);
        assertThat(detail.why()).startsWith("It waits until ").contains("the compensation of step one, attempt 2");
    }

    @Test
    void what_is_allowed_is_told_in_a_fixed_order() {
        assertThat(AdminAction.values())
                .containsExactly(RETRY, RETRY_COMPENSATION, COMPENSATE, CANCEL, FORCE_COMPLETE, RESOLVE);
    }
}
