package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A condition is asked before the action, and until it has answered nothing has taken effect. */
class ConditionsTest {
    private final Walk saga = new Walk(Sagas.conditional());

    @Test
    void the_condition_is_asked_first_and_the_action_follows_its_yes() {
        assertThat(saga.calls()).containsExactly("CONDITION a 1");

        assertThat(saga.allows("a").calls()).containsExactly("ACTION a 1");
        assertThat(saga.facts()).containsExactly("CONDITION a 1 SUCCEEDED");
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.EXECUTING);
        assertThat(saga.does("a").calls()).containsExactly("CONDITION pivot 1");
    }

    @Test
    void a_skipped_step_is_recorded_and_the_saga_goes_on() {
        assertThat(saga.skips("a").calls()).containsExactly("CONDITION pivot 1");
        assertThat(saga.facts()).containsExactly("CONDITION a 1 SKIPPED");
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.SKIPPED);
    }

    @Test
    void a_skipped_step_has_nothing_to_undo() {
        saga.skips("a").allows("pivot").rejects("pivot");

        assertThat(saga.compensationOrder()).isEmpty();
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.facts()).containsExactly("ACTION pivot 1 REJECTED", "SAGA TURNED REJECTED", "SAGA ENDED");
    }

    @Test
    void a_skipped_pivot_decides_as_one_that_was_run() {
        saga.skips("a").skips("pivot").cancelled();

        assertThat(saga.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(saga.state().pending()).isNull();
        assertThat(saga.skips("mail").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_saga_of_which_everything_is_skipped_is_completed() {
        assertThat(saga.skips("a").skips("pivot").skips("mail").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_condition_that_fails_is_asked_again_by_the_policy_and_leaves_no_doubt() {
        saga.ends("a", Phase.CONDITION, Outcome.FAILED, true);
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.WAITING);
        assertThat(saga.step("a").inDoubt()).isFalse();

        assertThat(saga.after(Sagas.DELAY).timePasses().calls()).containsExactly("CONDITION a 2");
        saga.ends("a", Phase.CONDITION, Outcome.FAILED, true);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.state().turned()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.GIVEN_UP);
    }

    @Test
    void the_action_has_all_its_attempts_however_often_the_condition_failed() {
        saga.ends("a", Phase.CONDITION, Outcome.FAILED, true)
                .after(Sagas.DELAY)
                .timePasses()
                .allows("a");

        assertThat(saga.calls()).containsExactly("ACTION a 1");
        assertThat(saga.fails("a").stepStatus("a")).isEqualTo(StepStatus.WAITING);
    }

    @Test
    void an_answer_is_not_asked_for_again() {
        saga.allows("a").fails("a").after(Sagas.DELAY).timePasses();
        assertThat(saga.calls()).containsExactly("ACTION a 2");
        assertThat(saga.takenOver().calls()).containsExactly("ACTION a 3");

        Walk stopped = new Walk(Sagas.conditional()).allows("a").withdraws("a", Phase.ACTION);
        assertThat(stopped.timePasses().calls()).containsExactly("ACTION a 1");
    }

    @Test
    void a_lost_node_leaves_no_doubt_while_only_the_condition_was_asked() {
        assertThat(saga.takenOver().calls()).containsExactly("CONDITION a 2");
        assertThat(saga.step("a").inDoubt()).isFalse();
        assertThat(saga.cancelled().rejects("a", Phase.CONDITION).stepStatus("a"))
                .isEqualTo(StepStatus.REJECTED);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_turn_awaits_the_answer_and_begins_nothing_after_it() {
        assertThat(saga.cancelled().status()).isEqualTo(SagaStatus.COMPENSATING);

        assertThat(saga.allows("a").calls()).isEmpty();
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.PENDING);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_wish_does_not_wait_for_the_condition_of_a_pivot() {
        saga.allows("a").does("a").cancelled();
        assertThat(saga.state().turned()).isEqualTo(SagaReason.CANCELLED);

        assertThat(saga.allows("pivot").calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_wish_comes_before_a_pivot_that_the_same_write_would_begin() {
        SagaMachine machine = new SagaMachine(Sagas.conditional());
        SagaState asked = saga.skips("a").state();
        Transition after = machine.on(
                asked,
                List.of(
                        new SagaEvent.Succeeded(Sagas.DELAY, 1, Phase.CONDITION),
                        new SagaEvent.TurnRequested(Sagas.DELAY, SagaReason.CANCELLED)),
                false);

        assertThat(after.state().status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(after.calls()).isEmpty();
    }

    @Test
    void a_best_effort_step_whose_condition_fails_is_given_up() {
        saga.skips("a").skips("pivot").ends("mail", Phase.CONDITION, Outcome.FAILED, false);

        assertThat(saga.stepStatus("mail")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void an_operators_retry_asks_a_condition_that_was_not_answered() {
        saga.stuck("a", SagaReason.UNREADABLE);
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.step("a").inDoubt()).isFalse();

        assertThat(saga.retried().calls()).containsExactly("CONDITION a 1");
    }

    @Test
    void only_a_condition_that_is_asked_can_answer() {
        saga.allows("a");

        assertThatThrownBy(() -> saga.skips("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("SAGA-STATE-001: no CONDITION of step a");
    }
}
