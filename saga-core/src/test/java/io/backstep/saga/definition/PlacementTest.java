package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which steps a step waits for, and whether it is run. */
class PlacementTest {
    private static final SagaType<String> TYPE = SagaType.named("trip", String.class);
    private static final Step<String> HOTEL = Step.named("hotel", String.class);

    /** Begin, then hotel and flight and tips side by side, then pay. */
    private final SagaDefinition<String> trip = Saga.define(TYPE)
            .step("begin")
            .action(c -> {})
            .noCompensation("a test")
            .step(HOTEL)
            .after("begin")
            .action(c -> "")
            .compensate((c, room) -> {})
            .step("flight")
            .after("begin")
            .onlyIf(c -> c.input().isEmpty())
            .transactional()
            .action(c -> {})
            .compensate(c -> {})
            .bestEffort("tips")
            .afterStart()
            .action(c -> {})
            .pivot("pay")
            .after("flight")
            .after(HOTEL)
            .action(c -> {})
            .retriable("tell")
            .action(c -> {})
            .build();

    @Test
    void a_step_waits_for_those_that_it_names_and_calls_add_up() {
        assertThat(waitsFor("hotel")).containsExactly("begin");
        assertThat(waitsFor("pay")).as("in the order of declaration").containsExactly("hotel", "flight");
    }

    @Test
    void a_step_that_begins_with_the_saga_waits_for_none() {
        assertThat(waitsFor("tips")).isEmpty();
    }

    @Test
    void a_step_that_says_nothing_waits_for_all_before_it() {
        assertThat(waitsFor("tell")).containsExactly("begin", "hotel", "flight", "tips", "pay");
    }

    @Test
    void a_condition_is_kept_and_the_others_have_none() {
        assertThat(trip.steps().get(2).condition()).isNotNull();
        assertThat(trip.steps().get(2).transactional()).isTrue();
        assertThat(trip.steps().get(1).condition()).isNull();
    }

    @Test
    void what_comes_after_what_is_told() {
        assertThat(trip.comesAfter("pay", "begin")).isTrue();
        assertThat(trip.comesAfter("hotel", "flight")).isFalse();
        assertThat(trip.comesAfter("hotel", "hotel")).isFalse();
        assertThat(trip.comesAfter("begin", "pay")).isFalse();
    }

    @Test
    void the_fingerprint_has_the_graph_and_the_conditions() {
        assertThat(trip.fingerprint()).isEqualTo("""
                        begin COMPENSATABLE
                        hotel COMPENSATABLE result after begin
                        flight COMPENSATABLE transactional conditional after begin
                        tips BEST_EFFORT
                        pay PIVOT after hotel,flight
                        tell RETRIABLE after tips,pay
                        """);
    }

    @Test
    void the_order_in_which_steps_are_named_does_not_matter() {
        assertThat(joined("a", "b").fingerprint()).isEqualTo(joined("b", "a").fingerprint());
    }

    @Test
    void a_changed_graph_and_a_changed_condition_are_differences() {
        SagaDefinition<String> linear = two(false);
        SagaDefinition<String> asked = two(true);

        assertThat(asked.differences(linear.fingerprint()))
                .containsExactly("b was changed from COMPENSATABLE after a to COMPENSATABLE conditional");
    }

    @Test
    void the_diagram_shows_branches_and_conditions() {
        assertThat(trip.diagram())
                .contains("started --> s0\n", "s0 --> s1\n", "s0 --> s2\n", "started --> s3\n", "s1 --> s4\n")
                .contains("s2 --> s4\n", "s3 --> s5\n", "s4 --> s5\n", "s5 --> completed\n")
                .contains("s2[\"flight<br/>compensatable, transactional<br/>only if its condition holds\"]")
                .doesNotContain("s0 --> s4", "s2 --> s5");
    }

    private List<String> waitsFor(String step) {
        return trip.steps().get(trip.indexOf(step)).waitsFor();
    }

    private static SagaDefinition<String> joined(String... names) {
        return beside(Saga.define(TYPE).step("a").action(c -> {}).noCompensation("a test"))
                .pivot("p")
                .after(names)
                .action(c -> {})
                .build();
    }

    private static SagaStage<String> beside(SagaStage<String> saga) {
        return saga.step("b").afterStart().action(c -> {}).noCompensation("a test");
    }

    private static SagaDefinition<String> two(boolean asked) {
        SagaStage<String> saga = Saga.define(TYPE).step("a").action(c -> {}).noCompensation("a test");
        VoidStepStage<String, VoidCompensationStage<String>> b = saga.step("b");
        return (asked ? b.afterStart().onlyIf(c -> true) : b)
                .action(c -> {})
                .noCompensation("a test")
                .build();
    }
}
