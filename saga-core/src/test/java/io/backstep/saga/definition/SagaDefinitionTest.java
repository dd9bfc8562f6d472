package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SagaDefinitionTest {
    private static final SagaType<String> TYPE = SagaType.named("trip", String.class);

    private final SagaDefinition<String> trip = trip().build();

    private static TuningStage<String> trip() {
        return Saga.define(TYPE)
                .step(Step.named("hotel", String.class))
                .action(c -> "")
                .compensate((c, booked) -> {})
                .step("check")
                .transactional()
                .action(c -> {})
                .noCompensation("reads only")
                .pivot("pay")
                .action(c -> {})
                .retriable("tell")
                .action(c -> {})
                .bestEffort("mail")
                .action(c -> {});
    }

    @Test
    void the_fingerprint_is_names_kinds_order_transactional_and_result_or_none() {
        assertThat(trip.fingerprint()).isEqualTo("""
                        hotel COMPENSATABLE result
                        check COMPENSATABLE transactional after hotel
                        pay PIVOT after check
                        tell RETRIABLE after pay
                        mail BEST_EFFORT after tell
                        """);
    }

    @Test
    void the_fingerprint_does_not_depend_on_tuning_version_or_locale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr-TR"));
            SagaDefinition<String> tuned =
                    trip().retry(Retry.none()).version(9).strictCompensation().build();

            assertThat(tuned.fingerprint()).isEqualTo(trip.fingerprint());
            assertThat(tuned.diagram()).isEqualTo(trip.diagram().replace("v1", "v9"));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void nothing_differs_from_itself() {
        assertThat(trip.differences(trip.fingerprint())).isEmpty();
    }

    // F099
    @Test
    void differences_name_what_was_added_removed_and_changed() {
        String stored = """
                hotel COMPENSATABLE
                flight COMPENSATABLE result after hotel
                pay PIVOT after flight
                tell RETRIABLE after pay
                mail BEST_EFFORT after tell
                """;

        assertThat(trip.differences(stored))
                .containsExactly(
                        "flight was removed; it was COMPENSATABLE result after hotel",
                        "hotel was changed from COMPENSATABLE to COMPENSATABLE result",
                        "check was added; it is COMPENSATABLE transactional after hotel",
                        "pay was changed from PIVOT after flight to PIVOT after check");
    }

    // F099
    @Test
    void differences_show_another_order() {
        String stored = """
                check COMPENSATABLE
                hotel COMPENSATABLE result after check
                pay PIVOT after hotel
                tell RETRIABLE after pay
                mail BEST_EFFORT after tell
                """;

        assertThat(trip.differences(stored))
                .contains("the order was changed from check, hotel, pay, tell, mail to hotel, check, pay, tell, mail");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "rubbish", "a b\nc\u0000\u001b[2J", "hotel"})
    void differences_take_any_stored_text(String stored) {
        assertThat(trip.differences(stored)).isNotEmpty().noneMatch(line -> line.contains("\u001b"));
    }

    @Test
    void a_damaged_fingerprint_is_a_difference() {
        assertThat(trip.differences(trip.fingerprint() + trip.fingerprint()))
                .singleElement()
                .asString()
                .startsWith("the stored fingerprint is not one that a definition writes: hotel");
    }

    @Test
    void the_diagram_shows_steps_kinds_and_compensations() {
        assertThat(trip.diagram()).isEqualTo("""
                        flowchart TD
                            started(["trip v1"])
                            s0["hotel<br/>compensatable"]
                            s1["check<br/>no compensation, transactional"]
                            s2{{"pay<br/>pivot"}}
                            s3(["tell<br/>retriable"])
                            s4>"mail<br/>best effort"]
                            completed(["completed"])
                            started --> s0
                            s0 --> s1
                            s1 --> s2
                            s2 --> s3
                            s3 --> s4
                            s4 --> completed
                            undo_s0["undo hotel"]
                            s0 -. compensation .-> undo_s0
                        """);
    }

    @Test
    void shows_its_name_and_version() {
        assertThat(trip).hasToString("trip v1");
    }

    @Test
    void finds_steps_by_name() {
        assertThat(trip.indexOf("pay")).isEqualTo(2);
        assertThat(trip.indexOf("PAY")).isEqualTo(-1);
    }

    @Test
    void nothing_can_be_changed() {
        StepDefinition check = trip.steps().get(1);
        List<String> names = new ArrayList<>(List.of("hotel"));
        StepDefinition copied = after(check, names);
        names.clear();

        assertThat(copied.waitsFor()).containsExactly("hotel");
        assertThatThrownBy(() -> trip.steps().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> check.waitsFor().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    // F128
    @Test
    void no_two_steps_share_an_idempotency_key() {
        SagaDefinition<String> saga = Saga.define(TYPE)
                .step("a")
                .action(c -> {})
                .noCompensation("a test")
                .step("a.a")
                .action(c -> {})
                .noCompensation("a test")
                .step("a-action")
                .action(c -> {})
                .noCompensation("a test")
                .build();

        assertThat(saga.steps().stream()
                        .map(step -> GivenContext.of(step.name(), "").idempotencyKey()))
                .doesNotHaveDuplicates()
                .allMatch(key -> key.split(":").length == 2);
    }

    private static StepDefinition after(StepDefinition like, List<String> names) {
        return new StepDefinition(
                "copied",
                like.kind(),
                null,
                false,
                names,
                null,
                null,
                null,
                like.action(),
                null,
                null,
                like.noCompensation(),
                null,
                null,
                false,
                false,
                like.retry(),
                like.timeout(),
                false,
                like.compensationRetry(),
                like.compensationTimeout());
    }
}
