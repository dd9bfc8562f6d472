package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import org.junit.jupiter.api.Test;

/** What a definition may say of a saga that it starts. */
class ChildSagaTest {
    private static final SagaType<String> PARENT = SagaType.named("parent", String.class);
    private static final SagaType<Integer> CHILD = SagaType.named("child", Integer.class);
    private static final Step<String> SHIP = Step.named("ship", String.class);
    private static final Step<String> OUT = Step.named("out", String.class);

    private static SagaDefinition<Integer> child() {
        return Saga.define(CHILD)
                .step(OUT)
                .action(c -> "out")
                .noCompensation("a test")
                .build();
    }

    private static SagaDefinition<Integer> withPivot() {
        return Saga.define(CHILD).version(2).pivot(OUT).action(c -> "out").build();
    }

    private static void assertRefused(SagaStage<String> saga, String code, String... words) {
        assertThatThrownBy(saga::build)
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(words);
    }

    @Test
    void a_step_that_starts_a_saga_is_complete_and_undone_by_it() {
        SagaDefinition<String> saga = Saga.define(PARENT)
                .step(SHIP)
                .startSaga(CHILD, c -> 1, OUT)
                .step("void")
                .startSaga(child(), c -> 2)
                .build();

        assertThat(saga.steps()).allMatch(StepDefinition::undoneByChild).allMatch(StepDefinition::isUndone);
        assertThat(saga.fingerprint())
                .isEqualTo("ship COMPENSATABLE result starts child undone by its child\n"
                        + "void COMPENSATABLE starts child undone by its child after ship\n");
        assertThat(saga.describe().json())
                .contains("\"child\": {", "\"saga\": \"child\"", "\"version\": 1", "\"output\": \"out\"");
        assertThat(saga.diagram()).contains("starts child", "undo ship");
    }

    @Test
    void it_may_say_how_it_is_undone_and_is_tuned_like_any_other() {
        SagaDefinition<String> saga = Saga.define(PARENT)
                .step(SHIP)
                .startSaga(withPivot(), c -> 1, OUT)
                .compensate((c, result) -> {})
                .compensationRetry(Retry.none())
                .step("void")
                .startSaga(withPivot(), c -> 2)
                .noCompensation("a test")
                .retry(Retry.none())
                .build();

        assertThat(saga.steps()).noneMatch(StepDefinition::undoneByChild);
        assertThat(saga.fingerprint())
                .isEqualTo("ship COMPENSATABLE result starts child\nvoid COMPENSATABLE starts child after ship\n");
    }

    @Test
    void a_pivot_and_a_retriable_step_may_start_one() {
        SagaDefinition<String> saga = Saga.define(PARENT)
                .pivot(SHIP)
                .startSaga(CHILD, c -> 1, OUT)
                .retriable("more")
                .startSaga(CHILD, c -> 2)
                .build();

        assertThat(saga.steps()).noneMatch(StepDefinition::isUndone);
    }

    @Test
    void a_best_effort_step_may_not() {
        assertRefused(
                Saga.define(PARENT).bestEffort("mail").startSaga(CHILD, c -> 1),
                "SAGA-DSL-040",
                "step mail",
                "best-effort",
                "child");
    }

    @Test
    void it_is_never_in_doubt() {
        assertRefused(
                Saga.define(PARENT).step("ship").startSaga(CHILD, c -> 1).atMostOnce(),
                "SAGA-DSL-034",
                "step ship",
                "starts child",
                "atMostOnce()");
    }

    @Test
    void a_pivot_is_never_undone() {
        assertRefused(
                Saga.define(PARENT).pivot("decide").startSaga(CHILD, c -> 1).compensate(c -> {}),
                "SAGA-DSL-041",
                "the pivot");
        assertRefused(
                Saga.define(PARENT)
                        .pivot("decide")
                        .action(c -> {})
                        .retriable("more")
                        .startSaga(CHILD, c -> 1)
                        .noCompensation("a test"),
                "SAGA-DSL-041",
                "retriable");
    }

    @Test
    void a_child_with_a_pivot_needs_a_compensation_of_the_step() {
        assertRefused(
                Saga.define(PARENT).step("ship").startSaga(withPivot(), c -> 1),
                "SAGA-DSL-042",
                "step ship",
                "child v2",
                "pivot",
                "compensate(...)");
    }

    @Test
    void the_output_is_a_step_of_the_child_with_the_same_result() {
        assertRefused(
                Saga.define(PARENT).step(SHIP).startSaga(child(), c -> 1, Step.named("none", String.class)),
                "SAGA-DSL-042",
                "no such step");
        Step<Integer> other = Step.named("other", Integer.class);
        assertRefused(
                Saga.define(PARENT).step(other).startSaga(child(), c -> 1, Step.named("out", Integer.class)),
                "SAGA-DSL-042",
                "java.lang.Integer",
                "java.lang.String");
    }

    @Test
    void null_is_refused_at_the_verb() {
        assertThatThrownBy(() -> Saga.define(PARENT).step("a").startSaga((SagaType<Integer>) null, c -> 1))
                .hasMessageContaining("startSaga(child, ...)");
        assertThatThrownBy(() -> Saga.define(PARENT).step("a").startSaga(CHILD, null))
                .hasMessageContaining("startSaga(..., input)");
        assertThatThrownBy(() -> Saga.define(PARENT).step(SHIP).startSaga(CHILD, c -> 1, null))
                .hasMessageContaining("startSaga(..., output)");
    }
}
