package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** An operator settles steps by hand, over HTTP and on PostgreSQL. */
class AdminResolveIT {
    private final AdminSite site = AdminSite.shared();

    private RawHttp.Answer resolve(UUID saga, String step, String fields, String... headers) {
        return site.post(
                "operator", saga, "steps/" + step + "/resolve", "{\"reason\":\"looked\"," + fields + "}", headers);
    }

    private static String outcome(String outcome) {
        return "\"outcome\":\"" + outcome + "\"";
    }

    private void eventually(UUID saga, String status) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> site.status(saga).equals(status));
    }

    @ParameterizedTest(name = "{0}: step {1} is {2}, then {3}")
    @CsvSource({
        "RUNNING_RELEASED,        pay,     REJECTED,    COMPENSATED",
        "RUNNING_RELEASED,        pay,     SUCCEEDED,   COMPLETED",
        "RUNNING_OWNER_LOST,      pay,     SUCCEEDED,   COMPLETED",
        "COMPENSATING_RELEASED,   reserve, COMPENSATED, COMPENSATED",
        "COMPENSATING_OWNER_LOST, reserve, COMPENSATED, COMPENSATED",
        "COMPENSATION_EXHAUSTED,  reserve, COMPENSATED, COMPENSATED",
        "PIVOT_UNKNOWN,           confirm, SUCCEEDED,   COMPLETED",
        "PIVOT_UNKNOWN,           confirm, REJECTED,    COMPENSATED",
        "RETRIABLE_EXHAUSTED,     ship,    SUCCEEDED,   COMPLETED",
        "RETRIABLE_REJECTED,      ship,    SUCCEEDED,   COMPLETED"
    })
    void what_an_operator_says_gets_the_saga_moving(Situation situation, String step, String outcome, String then) {
        UUID saga = situation.make(site);
        int undone = Parcel.timesUndone(saga);

        RawHttp.Answer answer = resolve(saga, step, outcome(outcome));

        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.json().path("action").asString()).isEqualTo("resolve");
        assertThat(answer.json().path("after").asString()).endsWith(", " + step + " " + outcome);
        eventually(saga, then);
        assertThat(site.audit(saga)).containsExactly("operator resolve");
        assertThat(Parcel.timesUndone(saga))
                .as("who undid it by hand is believed")
                .isEqualTo(undone + (then.equals("COMPENSATED") && !outcome.equals("COMPENSATED") ? 1 : 0));
    }

    @Test
    void a_result_is_told_as_json_and_shown() {
        UUID saga = released();
        assertBad(resolve(saga, "reserve", outcome("SUCCEEDED")), 400, "SAGA-REQ-004", "result");
        assertBad(
                resolve(saga, "reserve", outcome("SUCCEEDED") + ",\"result\":{\"a\":1}"),
                400,
                "SAGA-REQ-004",
                "result");

        assertThat(resolve(saga, "reserve", outcome("SUCCEEDED") + ",\"result\":\"R-7\"")
                        .status())
                .isEqualTo(200);

        eventually(saga, "COMPLETED");
        JsonNode detail = site.get("admin", AdminSite.BASE + "/" + saga).json();
        assertThat(detail.at("/steps/0/result").asString()).isEqualTo("R-7");
        JsonNode history =
                site.get("admin", AdminSite.BASE + "/" + saga + "/history").json();
        assertThat(history.path("history")
                        .valueStream()
                        .map(line -> line.path("errorText").asString("")))
                .contains("settled by operator: looked");
    }

    private UUID released() {
        return Situation.released(site, Parcel.ok().reserving(Parcel.Mode.FAIL));
    }

    private static void assertBad(RawHttp.Answer answer, int status, String code, String field) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.json().path("field").asString()).isEqualTo(field);
    }

    @Test
    void bad_input_is_refused_and_says_what_is_allowed() {
        UUID saga = Situation.PIVOT_UNKNOWN.make(site);

        assertBad(resolve(saga, "confirm", "\"force\":true"), 400, "SAGA-REQ-001", "outcome");
        for (String wrong : List.of("\"succeeded\"", "\"\"", "7", "null", "[\"SUCCEEDED\"]", "{}")) {
            assertBad(resolve(saga, "confirm", "\"outcome\":" + wrong), 400, "SAGA-REQ-004", "outcome");
        }
        assertBad(resolve(saga, "confirm", outcome("REJECTED") + ",\"result\":{}"), 400, "SAGA-REQ-004", "result");
        assertBad(resolve(saga, "confirm", outcome("REJECTED") + ",\"step\":\"ship\""), 400, "SAGA-REQ-003", "step");
        assertBad(resolve(saga, "no-step", outcome("REJECTED")), 400, "SAGA-REQ-004", "step");
        assertThat(resolve(saga, "ship", outcome("SUCCEEDED")).code()).isEqualTo("SAGA-ADMIN-002");
        assertThat(site.act("operator", saga, "resolve").status()).isEqualTo(404);
        assertThat(site.audit(saga)).isEmpty();
        assertThat(site.status(saga)).isEqualTo("FAILED");
    }

    @Test
    void while_a_node_works_on_it_force_is_needed_and_breaks_the_attempt_off() {
        UUID saga = Situation.RUNNING_HELD.make(site);

        assertThat(resolve(saga, "pay", outcome("REJECTED")).code()).isEqualTo("SAGA-ADMIN-003");
        assertThat(resolve(saga, "pay", outcome("REJECTED") + ",\"force\":true").status())
                .isEqualTo(200);
        Parcel.mend(saga);

        eventually(saga, "COMPENSATED");
        assertThat(site.lost(saga)).isNotEmpty();
    }

    @Test
    void the_same_click_twice_has_one_effect_and_a_stale_one_none() {
        UUID saga = Situation.PIVOT_UNKNOWN.make(site);
        String seen = site.get("operator", AdminSite.BASE + "/" + saga).header("ETag");

        RawHttp.Answer first =
                resolve(saga, "confirm", outcome("SUCCEEDED"), "Idempotency-Key: click", "If-Match: " + seen);
        RawHttp.Answer again =
                resolve(saga, "confirm", outcome("SUCCEEDED"), "Idempotency-Key: click", "If-Match: " + seen);

        assertThat(first.status()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(resolve(saga, "confirm", outcome("REJECTED"), "Idempotency-Key: click")
                        .code())
                .isEqualTo("SAGA-ADMIN-006");
        assertThat(resolve(saga, "confirm", outcome("SUCCEEDED"), "If-Match: " + seen)
                        .status())
                .isIn(409, 412);
        assertThat(site.audit(saga)).containsExactly("operator resolve");
    }
}
