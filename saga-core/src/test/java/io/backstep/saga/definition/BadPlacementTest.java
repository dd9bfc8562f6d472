package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.engine.Logs;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Graphs that no saga may have. */
class BadPlacementTest {
    private static final SagaType<String> TYPE = SagaType.named("bad", String.class);

    // D13, D14
    static Stream<Arguments> badGraphs() {
        return Stream.of(
                bad(
                        "D13 unknown name",
                        "SAGA-DSL-013",
                        noted(one().step("b").after("y")),
                        "step b of saga bad v1 waits for \"y\"",
                        "no step of this saga",
                        "allowed are the steps declared before it: a"),
                bad("D13 other case", "SAGA-DSL-013", noted(one().step("b").after("A")), "waits for \"A\""),
                bad("D13 rubbish", "SAGA-DSL-013", noted(one().step("b").after("x\ny")), "\"x\\u000ay\""),
                bad(
                        "D13 another step of that name",
                        "SAGA-DSL-013",
                        noted(given().step("b").after(Step.named("a", Integer.class))),
                        "step b of saga bad v1 waits for \"a\" with a result of java.lang.Integer, but that step has one of"
                                + " java.lang.String"),
                bad(
                        "D13 a step without that result",
                        "SAGA-DSL-013",
                        noted(one().step("b").after(Step.named("a", Integer.class))),
                        "but that step has none"),
                bad("D13 itself", "SAGA-DSL-013", noted(one().step("b").after("b")), "which is itself"),
                bad(
                        "D13 the first step",
                        "SAGA-DSL-013",
                        noted(Saga.define(TYPE).step("b").after("c")),
                        "declared before it: none"),
                bad(
                        "D13 declared later, no cycle",
                        "SAGA-DSL-013",
                        noted(noted(one().step("b").after("c")).step("c").afterStart()),
                        "step b of",
                        "which is declared later; allowed"),
                bad(
                        "D13 cycle",
                        "SAGA-DSL-013",
                        noted(noted(one().step("b").after("d")).step("c").after("b"))
                                .step("d")
                                .after("c")
                                .action(c -> {})
                                .noCompensation("a test"),
                        "step b of",
                        "declared later and waits for it: b -> d -> c -> b"),
                bad(
                        "D13 cycle through a step that says nothing",
                        "SAGA-DSL-013",
                        noted(noted(one().step("b").after("c")).step("c")),
                        "b -> c -> b"),
                bad(
                        "D14 no branch",
                        "SAGA-DSL-014",
                        noted(one().step("b").after(new String[0])),
                        "step b of",
                        "afterStart()"),
                bad("D14 no step", "SAGA-DSL-014", noted(one().step("b").after(new Step<?>[0])), "at least one"),
                bad(
                        "D14 1,000 branches",
                        "SAGA-DSL-014",
                        branches(1000),
                        "saga bad v1 has 1000 steps side by side, after a; allowed are 100",
                        "\nalso SAGA-DSL-027",
                        "1001 steps"),
                bad(
                        "D14 101 branches at the start",
                        "SAGA-DSL-014",
                        branches(101, VoidStepStage::afterStart),
                        "101 steps side by side, after the start"),
                bad(
                        "the same name twice",
                        "SAGA-DSL-031",
                        noted(one().step("b").after("a", "a").after("a")),
                        "step b of",
                        "names \"a\" more than once"),
                bad(
                        "after and afterStart",
                        "SAGA-DSL-032",
                        noted(one().step("b").afterStart().after("a")),
                        "step b of",
                        "both afterStart() and after(a)"),
                bad(
                        "a pivot beside compensatable steps",
                        "SAGA-DSL-033",
                        noted(noted(one().step("b").afterStart()).step("c").after("b"))
                                .pivot("p")
                                .after("b")
                                .action(c -> {}),
                        "step p of",
                        "compensatable a, c,"),
                bad(
                        "a pivot at the start",
                        "SAGA-DSL-033",
                        one().pivot("p").afterStart().action(c -> {}),
                        "compensatable a,"),
                bad(
                        "a compensatable step beside the pivot",
                        "SAGA-DSL-024",
                        noted(one().pivot("p").action(c -> {}).step("b").after("a")),
                        "step b of",
                        "after the pivot p"),
                bad(
                        "a retriable step beside the pivot",
                        "SAGA-DSL-025",
                        one().pivot("p")
                                .action(c -> {})
                                .retriable("r")
                                .after("a")
                                .action(c -> {}),
                        "step r of",
                        "does not wait for the pivot p"),
                bad(
                        "a retriable step at the start",
                        "SAGA-DSL-025",
                        one().pivot("p")
                                .action(c -> {})
                                .retriable("r")
                                .afterStart()
                                .action(c -> {}),
                        "step r of"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badGraphs")
    void build_refuses(String what, String code, SagaStage<?> saga, String[] shown) {
        assertRefused(code, saga::build, shown);
    }

    @Test
    void all_faults_are_told_at_once_and_none_that_only_follows_from_another() {
        SagaStage<String> saga = noted(one().step("b").after("y", "y").afterStart())
                .pivot("p")
                .after("z")
                .action(c -> {});

        assertThatThrownBy(saga::build)
                .hasMessageContainingAll("SAGA-DSL-031", "SAGA-DSL-032", "waits for \"y\"", "waits for \"z\"")
                .hasMessageNotContaining("SAGA-DSL-033");
    }

    // D14
    @Test
    void one_branch_is_allowed_with_a_warning_and_many_are_without() {
        try (Logs logs = new Logs()) {
            assertThat(noted(one().step("b").after("a")).build().steps()).hasSize(2);
            assertThat(noted(Saga.define(TYPE).step("b").afterStart()).build().steps())
                    .hasSize(1);
            assertThat(logs.warnings())
                    .containsExactly(
                            "step b of saga bad v1 says after(a) and nothing runs beside it: a branch of one step, as if it said"
                                    + " nothing",
                            "step b of saga bad v1 says afterStart() and nothing runs beside it: a branch of one step, as if it"
                                    + " said nothing");
        }
        try (Logs logs = new Logs()) {
            assertThat(branches(99).build().steps()).hasSize(100);
            noted(branches(2).step("join").after("b0", "b1")).build();
            noted(noted(branches(2).step("c").after("b0")).step("join").after("c", "b1"))
                    .build();
            assertThat(logs.warnings()).isEmpty();
        }
    }

    @Test
    void what_waits_for_the_pivot_by_another_step_or_is_best_effort_may_stand_anywhere() {
        SagaDefinition<String> saga = one().bestEffort("beside")
                .afterStart()
                .action(c -> {})
                .pivot("p")
                .after("a")
                .action(c -> {})
                .retriable("r")
                .after("p")
                .action(c -> {})
                .retriable("last")
                .after("r", "beside")
                .action(c -> {})
                .build();

        assertThat(saga.steps()).hasSize(5);
    }

    static Stream<Arguments> nulls() {
        return Stream.of(
                nothing("names", () -> one().step("x").after((String[]) null), "after(names)"),
                nothing("a name", () -> one().step("x").after("a", null), "after(names)"),
                nothing("steps", () -> one().step("x").after((Step<?>[]) null), "after(steps)"),
                nothing("a step", () -> one().pivot("x").after(Step.named("a", String.class), null), "after(steps)"),
                nothing("condition", () -> one().step("x").onlyIf((Predicate<SagaData<String>>) null), "onlyIf"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nulls")
    void refuses_null_for(String what, ThrowingCallable verb, String shown) {
        assertRefused("SAGA-DSL-020", verb, "step x of saga bad v1", shown);
    }

    @Test
    void a_place_is_given_once_and_before_the_action() {
        VoidStepStage<String, VoidCompensationStage<String>> step = one().step("x");
        step.onlyIf(c -> true);
        assertRefused("SAGA-DSL-030", () -> step.onlyIf(c -> true), "step x of", "a second condition");

        step.action(c -> {});
        assertRefused("SAGA-DSL-030", () -> step.after("a"), "after(...) after its action");
        assertRefused("SAGA-DSL-030", step::afterStart, "afterStart() after its action");
        assertRefused("SAGA-DSL-030", () -> step.onlyIf(c -> true), "onlyIf(condition) after its action");
    }

    // D15
    @Test
    void no_place_is_given_once_it_is_built() {
        VoidStepStage<String, VoidCompensationStage<String>> step = one().step("x");
        step.action(c -> {}).noCompensation("a test").build();

        assertRefused("SAGA-DSL-015", () -> step.after("a"), "is built already");
        assertRefused("SAGA-DSL-015", step::afterStart, "is built already");
        assertRefused("SAGA-DSL-015", () -> step.onlyIf(c -> true), "is built already");
    }

    @Test
    void a_step_is_named_by_itself_or_by_its_name() {
        assertThat(noted(given().step("b").after(Step.named("a", String.class)))
                        .build()
                        .steps())
                .hasSize(2);
        assertThat(noted(given().step("b").after("a")).build().steps()).hasSize(2);
    }

    private static void assertRefused(String code, ThrowingCallable verb, String... shown) {
        assertThatThrownBy(verb)
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code))
                .hasMessageStartingWith(code + ": ")
                .hasMessageContainingAll(shown);
    }

    private static Arguments bad(String what, String code, SagaStage<?> saga, String... shown) {
        return Arguments.of(what, code, saga, shown);
    }

    private static Arguments nothing(String what, ThrowingCallable verb, String shown) {
        return Arguments.of(what, verb, shown);
    }

    private static SagaStage<String> given() {
        return Saga.define(TYPE)
                .step(Step.named("a", String.class))
                .action(c -> "")
                .noCompensation("a test");
    }

    private static SagaStage<String> one() {
        return noted(Saga.define(TYPE).step("a"));
    }

    private static SagaStage<String> noted(VoidStepStage<String, VoidCompensationStage<String>> placed) {
        return placed.action(c -> {}).noCompensation("a test");
    }

    private static SagaStage<String> branches(int howMany) {
        return branches(howMany, step -> step.after("a"));
    }

    private static SagaStage<String> branches(
            int howMany, UnaryOperator<VoidStepStage<String, VoidCompensationStage<String>>> place) {
        SagaStage<String> saga = one();
        for (int i = 0; i < howMany; i++) {
            saga = noted(place.apply(saga.step("b" + i)));
        }
        return saga;
    }
}
