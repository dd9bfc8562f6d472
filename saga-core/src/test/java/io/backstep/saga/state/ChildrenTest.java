package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import org.junit.jupiter.api.Test;

/** Steps that start a child saga. */
class ChildrenTest {
    private static final SagaDefinition<String> WITH_CHILD = Sagas.step(
                    Sagas.saga("with-child")
                            .step("child")
                            .startSaga(SagaType.named("child", String.class), c -> "input"),
                    "b")
            .build();

    private final Walk saga = new Walk(WITH_CHILD);

    /** Its child is asked to undo itself, after the compensation of b was spent. */
    private Walk goingBack() {
        return started().on(ended(false)).isSpent("b").rejectsUndo("b");
    }

    private Walk started() {
        return saga.on(new SagaEvent.Started(Sagas.DELAY, 0));
    }

    private static SagaEvent ended(boolean undone) {
        return new SagaEvent.ChildEnded(Sagas.DELAY, 0, undone, "end");
    }

    @Test
    void a_retry_waits_for_a_child_that_goes_back_already() {
        goingBack();
        assertThat(saga.step("child").awaiting()).isTrue();

        saga.stuck("child", SagaReason.STEP_UNKNOWN).retried();
        assertThat(saga.step("child").awaiting()).isTrue();
        assertThat(saga.stepStatus("child")).isEqualTo(StepStatus.COMPENSATING);
        assertThat(saga.calls()).isEmpty();

        saga.on(ended(true));
        assertThat(saga.stepStatus("child")).isEqualTo(StepStatus.COMPENSATED);
        assertThat(saga.calls()).containsExactly("COMPENSATION b 1");
        saga.undoes("b");
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_retry_waits_for_a_child_that_runs() {
        StepState before = started().step("child");

        saga.stuck("child", SagaReason.STEP_UNKNOWN).retried();

        assertThat(saga.step("child")).isEqualTo(before);
        assertThat(saga.calls()).isEmpty();
    }

    @Test
    void force_complete_leaves_a_child_that_is_awaited_in_doubt() {
        started().forceCompleted();

        assertThat(saga.stepStatus("child")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(saga.step("child").inDoubt()).isTrue();
    }
}
