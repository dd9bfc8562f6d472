package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.spring.admin.Parcel.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What operators see. */
class AdminReadsIT {
    private final AdminSite site = AdminSite.shared();

    @Test
    void pages_of_the_list_have_every_saga_once_newest_first() {
        List<String> started = IntStream.range(0, 7)
                .mapToObj(i -> site.start(Parcel.PATIENT, Parcel.ok().booking(Mode.FAIL))
                        .toString())
                .toList();
        Awaitility.await()
                .until(() ->
                        json("?name=patient-parcel&step=book").path("sagas").size() >= 7);
        List<String> seen = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = json("?name=patient-parcel&step=book&size=3" + (next.isEmpty() ? "" : "&cursor=" + next));
            page.path("sagas").forEach(saga -> seen.add(saga.path("sagaId").asString()));
            next = page.path("next").asString("");
        } while (!next.isEmpty());

        assertThat(seen).isSortedAccordingTo((a, b) -> b.compareTo(a)).doesNotHaveDuplicates();
        assertThat(seen.stream().filter(started::contains)).hasSize(7);
    }

    @Test
    void the_list_is_filtered_by_everything_at_once() {
        UUID saga = site.rest(site.start(Parcel.ok().shipping(Mode.FAIL), "key-of-the-list"), SagaStatus.FAILED);
        String all = "?name=parcel&businessKey=key-of-the-list&from=2026-01-01T00:00:00Z&to=9999-01-01T00:00:00Z";

        JsonNode found = json(all + "&status=FAILED");

        assertThat(found.path("sagas")).hasSize(1);
        JsonNode line = found.at("/sagas/0");
        assertThat(line.path("sagaId").asString()).isEqualTo(saga.toString());
        assertThat(line.path("status").asString()).isEqualTo("FAILED");
        assertThat(line.path("reason").asString()).isEqualTo("RETRIABLE_EXHAUSTED");
        assertThat(line.path("createdAt").asString()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
        assertThat(found.path("next").isNull()).isTrue();
        assertThat(json(all + "&status=COMPLETED").path("sagas")).isEmpty();
        assertThat(json(all + "&status=FAILED&step=pay").path("sagas")).isEmpty();
        assertThat(json(all.replace("2026-01-01", "9998-01-01")).path("sagas")).isEmpty();
    }

    @Test
    void the_detail_says_what_happened_what_is_allowed_and_why_it_does_not_move() {
        UUID saga = Situation.COMPENSATION_EXHAUSTED.make(site);

        RawHttp.Answer answer = site.get("viewer", AdminSite.BASE + "/" + saga);

        JsonNode detail = answer.json();
        assertThat(answer.header("ETag"))
                .isEqualTo('"' + detail.at("/instance/epoch").asString() + "."
                        + detail.at("/instance/seq").asString() + '"');
        assertThat(detail.path("held").asBoolean()).isFalse();
        assertThat(detail.path("steps")
                        .valueStream()
                        .map(step -> step.path("name").asString() + " "
                                + step.path("status").asString()))
                .startsWith("reserve COMPENSATION_FAILED", "book SUCCEEDED", "pay REJECTED");
        assertThat(detail.at("/compensations/0/status").asString()).isEqualTo("FAILED");
        assertThat(detail.at("/compensations/0/retries").asInt()).isEqualTo(1);
        assertThat(detail.path("allowed").valueStream().map(JsonNode::asString))
                .containsExactlyInAnyOrder("retry", "retry-compensation", "force-complete", "resolve");
        assertThat(detail.at("/steps/0/resolutions").valueStream().map(JsonNode::asString))
                .containsExactly("COMPENSATED");
        assertThat(detail.path("why").asString()).contains("compensation failed");
    }

    @Test
    void mail_that_waits_is_shown() {
        UUID saga = Situation.PIVOT_UNKNOWN.make(site);
        site.act("operator", saga, "cancel");

        JsonNode detail = json("/" + saga);

        assertThat(detail.at("/mail/0/kind").asString()).isEqualTo("CANCEL");
        assertThat(detail.at("/mail/0/reason").asString()).isEqualTo("a test of cancel");
        assertThat(detail.path("why").asString()).contains("CANCEL");
    }

    @Test
    void pages_of_the_history_have_every_line_once_in_order() {
        UUID saga = Situation.RETRIABLE_EXHAUSTED.make(site);
        List<String> all = lines("/" + saga + "/history?size=200");
        List<String> seen = new ArrayList<>();
        String next = "";
        do {
            String target = "/" + saga + "/history?size=2" + (next.isEmpty() ? "" : "&after=" + next);
            seen.addAll(lines(target));
            next = json(target).path("next").asString("");
        } while (!next.isEmpty());

        assertThat(all).hasSizeGreaterThan(5).contains("reserve ACTION SUCCEEDED", "ship ACTION FAILED");
        assertThat(seen).isEqualTo(all);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "1", "1.", ".1", "-1.0", "1.0.0", "99999999999999999999.0", "1.9999999999"})
    void the_place_in_a_history_is_checked(String after) {
        UUID saga = Situation.COMPLETED.make(site);

        RawHttp.Answer answer = site.get("viewer", AdminSite.BASE + "/" + saga + "/history?after=" + after);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("field").asString()).isEqualTo("after");
    }

    @Test
    void pages_of_the_audit_have_every_row_once_newest_first() {
        UUID saga = Situation.RETRIABLE_EXHAUSTED.make(site);
        for (String user : List.of("operator", "ann", "admin", "operator", "ann")) {
            assertThat(site.act(user, saga, "retry").status()).isEqualTo(200);
            site.rest(saga, SagaStatus.FAILED);
        }
        List<String> seen = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = json("/audit?sagaId=" + saga + "&size=2" + (next.isEmpty() ? "" : "&cursor=" + next));
            page.path("audit").forEach(row -> seen.add(row.path("actor").asString()));
            next = page.path("next").asString("");
        } while (!next.isEmpty());

        assertThat(seen).containsExactly("ann", "operator", "admin", "ann", "operator");
        JsonNode last = json("/audit?size=1").at("/audit/0");
        assertThat(last.path("sagaId").asString()).isEqualTo(saga.toString());
        assertThat(last.path("action").asString()).isEqualTo("retry");
        assertThat(last.path("reason").asString()).isEqualTo("a test of retry");
        assertThat(last.path("before").asString()).isEqualTo("FAILED (RETRIABLE_EXHAUSTED)");
        assertThat(last.path("after").asString()).isEqualTo("RUNNING");
        assertThat(last.path("at").asString()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
    }

    // F170, R19
    @ParameterizedTest
    @ValueSource(strings = {"viewer", "operator"})
    void payloads_are_hidden_from_whoever_may_not_see_them(String user) {
        UUID saga = Situation.COMPENSATION_EXHAUSTED.make(site);
        for (String rest : List.of("", "/" + saga, "/" + saga + "/history", "/audit")) {
            assertThat(site.get(user, AdminSite.BASE + rest).body()).doesNotContain(Parcel.SECRET);
        }
        JsonNode detail = site.get(user, AdminSite.BASE + "/" + saga).json();
        assertThat(detail.at("/instance/input").asString()).isEqualTo("***");
        assertThat(detail.at("/steps/0/result").asString()).isEqualTo("***");
        assertThat(detail.at("/compensations/0/request").asString()).isEqualTo("***");
        assertThat(site.get(user, AdminSite.BASE + "/" + saga + "/history")
                        .json()
                        .at("/history/0/result")
                        .asString())
                .isEqualTo("***");
    }

    // F170
    @Test
    void payloads_are_shown_as_they_are_to_whoever_may_see_them() {
        UUID saga = Situation.COMPENSATION_EXHAUSTED.make(site);

        JsonNode detail = site.get("admin", AdminSite.BASE + "/" + saga).json();

        assertThat(detail.at("/instance/input/undo").asString()).isEqualTo("FAIL");
        assertThat(detail.at("/steps/0/result").asString()).isEqualTo(Parcel.SECRET);
        assertThat(detail.at("/compensations/0/request").asString()).isEqualTo(Parcel.SECRET);
        assertThat(site.get("admin", AdminSite.BASE + "/" + saga + "/history")
                        .json()
                        .at("/history/0/result")
                        .asString())
                .isEqualTo(Parcel.SECRET);
    }

    // F083, X1
    @Test
    void the_list_opens_with_a_row_that_cannot_be_read_and_shows_it() {
        UUID saga = Situation.UNREADABLE.make(site);
        site.sql().update("update saga_instance set input = '{\"broken' where saga_id = ?", saga);

        JsonNode line = json("?status=FAILED&name=patient-parcel&size=1").at("/sagas/0");
        JsonNode detail = site.get("admin", AdminSite.BASE + "/" + saga).json();

        assertThat(line.path("sagaId").asString()).isEqualTo(saga.toString());
        assertThat(line.path("reason").asString()).isEqualTo("UNREADABLE");
        assertThat(detail.at("/instance/storedSteps").asString()).isEqualTo("garbage <script>");
        assertThat(detail.at("/instance/input").asString()).isEqualTo("{\"broken");
        assertThat(detail.path("why").asString()).contains("cannot be read");
        assertThat(json("/" + saga).at("/instance/storedSteps").asString()).isEqualTo("***");
    }

    // F083
    @Test
    void a_status_of_another_version_is_shown_as_unreadable() {
        UUID saga = Situation.COMPLETED.make(site);
        site.sql().update("update saga_instance set status = 'NEWER' where saga_id = ?", saga);

        assertThat(json("?size=200")
                        .path("sagas")
                        .valueStream()
                        .map(line -> line.path("sagaId").asString()))
                .contains(saga.toString());
        assertThat(json("/" + saga).at("/instance/reason").asString()).isEqualTo("UNREADABLE");
        site.sql().update("update saga_instance set status = 'COMPLETED' where saga_id = ?", saga);
    }

    // F169
    @Test
    void texts_of_participants_are_shown_literally_and_never_as_html() {
        UUID failed = Situation.RETRIABLE_EXHAUSTED.make(site);
        UUID rejected = Situation.RETRIABLE_REJECTED.make(site);

        RawHttp.Answer history = site.get("viewer", AdminSite.BASE + "/" + failed + "/history");

        assertThat(history.header("Content-Type")).isEqualTo("application/json");
        assertThat(history.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(errors(history)).anyMatch(text -> text.contains("</script>\r\n<script>alert(1)</script>"));
        assertThat(errors(site.get("viewer", AdminSite.BASE + "/" + rejected + "/history")))
                .anyMatch(text -> text.contains("<img src=x onerror=alert(1)>"));
    }

    private static List<String> errors(RawHttp.Answer history) {
        return history.json()
                .path("history")
                .valueStream()
                .map(line -> line.path("errorText").asString(""))
                .toList();
    }

    private List<String> lines(String rest) {
        return json(rest)
                .path("history")
                .valueStream()
                .map(line ->
                        line.path("step").asString() + " " + line.path("phase").asString() + " "
                                + line.path("outcome").asString())
                .toList();
    }

    private JsonNode json(String rest) {
        RawHttp.Answer answer = site.get("viewer", AdminSite.BASE + rest);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }
}
