package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import org.junit.jupiter.api.Test;

/** Rejections and failures of actions, for each kind of step. */
class ActionsTest {
    private final Walk order = new Walk(Sagas.order());
    private final Walk local = new Walk(Sagas.local());

    @Test
    void a_first_rejection_is_definite_and_the_step_is_not_compensated() {
        order.does("a").rejects("b");

        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.REJECTED);
        assertThat(order.state().turned()).isEqualTo(SagaReason.REJECTED);
        assertThat(order.facts()).containsExactly("ACTION b 1 REJECTED", "SAGA TURNED REJECTED");
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_rejection_after_an_unknown_attempt_is_not_definite() {
        order.does("a").fails("b").after(Sagas.DELAY).timePasses().rejects("b");

        assertThat(order.facts()).containsExactly("ACTION b 2 REJECTED", "SAGA TURNED REJECTED");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(order.undoes("b", "a").status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test // D23
    void a_transactional_step_that_escaped_its_transaction_is_unknown() {
        local.does("a").ends("b", Phase.ACTION, Outcome.ESCAPED, false);

        assertThat(local.facts()).containsExactly("ACTION b 1 ESCAPED", "SAGA TURNED ATTEMPTS_EXHAUSTED");
        assertThat(local.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test // D23
    void a_rejection_of_a_step_that_escaped_before_is_not_definite() {
        local.does("a").ends("b", Phase.ACTION, Outcome.ESCAPED, true);
        local.after(Sagas.DELAY).timePasses().rejects("b");

        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.COMPENSATING);
    }

    @Test // D23
    void a_pivot_that_escaped_its_transaction_parks() {
        local.does("a", "b").ends("pivot", Phase.ACTION, Outcome.ESCAPED, false);

        assertThat(local.state().reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
    }

    @Test
    void a_rejection_of_a_transactional_step_is_always_definite() {
        local.does("a").fails("b").after(Sagas.DELAY).timePasses().rejects("b");

        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.REJECTED);
        assertThat(local.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_remote_step_that_is_spent_is_unknown_and_is_compensated_first() {
        order.does("a").isSpent("b");

        assertThat(order.facts()).containsExactly("ACTION b 2 FAILED", "SAGA TURNED ATTEMPTS_EXHAUSTED");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(order.compensationOrder()).containsExactly("b", "a");
    }

    @Test
    void a_transactional_step_that_is_spent_never_took_effect() {
        local.does("a").isSpent("b");

        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(local.state().turned()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(local.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_failure_that_is_not_retryable_spends_all_attempts_and_is_still_unknown() {
        order.failsForGood("a");

        assertThat(order.state().turned()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void an_interrupted_attempt_does_not_spend_the_policy_but_leaves_a_remote_step_in_doubt() {
        order.ends("a", Phase.ACTION, Outcome.INTERRUPTED, true);

        assertThat(order.facts()).containsExactly("ACTION a 1 INTERRUPTED");
        assertThat(order.step("a").failures()).isZero();
        assertThat(order.step("a").interruptions()).isOne();
        assertThat(order.step("a").inDoubt()).isTrue();
        assertThat(order.calls()).containsExactly("ACTION a 2");
        assertThat(order.isSpent("a").facts()).contains("ACTION a 3 FAILED");
    }

    @Test
    void an_interrupted_transactional_attempt_is_never_in_doubt() {
        local.ends("a", Phase.ACTION, Outcome.INTERRUPTED, true);

        assertThat(local.step("a").inDoubt()).isFalse();
    }

    @Test
    void a_pivot_that_is_rejected_turns_the_saga() {
        order.does("a", "b").rejects("pivot");

        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.REJECTED);
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_pivot_that_is_rejected_in_doubt_parks() {
        order.does("a", "b").fails("pivot").after(Sagas.DELAY).timePasses().rejects("pivot");

        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(order.facts()).containsExactly("ACTION pivot 2 REJECTED", "SAGA PARKED PIVOT_UNKNOWN");
        assertThat(order.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(order.state().turned()).isNull();
    }

    @Test
    void a_remote_pivot_that_is_spent_parks() {
        order.does("a", "b").isSpent("pivot");

        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(order.state().reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(order.calls()).isEmpty();
    }

    @Test
    void a_transactional_pivot_that_is_spent_turns_the_saga() {
        local.does("a", "b").isSpent("pivot");

        assertThat(local.stepStatus("pivot")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(local.state().turned()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(local.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_retriable_step_that_is_rejected_parks() {
        order.does("a", "b", "pivot").rejects("ship");

        assertThat(order.stepStatus("ship")).isEqualTo(StepStatus.REJECTED);
        assertThat(order.facts()).containsExactly("ACTION ship 1 REJECTED", "SAGA PARKED RETRIABLE_REJECTED");
    }

    @Test
    void a_retriable_step_that_is_spent_parks() {
        order.does("a", "b", "pivot").isSpent("ship");
        local.does("a", "b", "pivot").isSpent("ship");

        assertThat(order.stepStatus("ship")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(local.stepStatus("ship")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(order.facts()).containsExactly("ACTION ship 2 FAILED", "SAGA PARKED RETRIABLE_EXHAUSTED");
        assertThat(local.state().reason()).isEqualTo(SagaReason.RETRIABLE_EXHAUSTED);
    }

    @Test
    void a_best_effort_step_never_turns_or_parks() {
        order.does("a", "b", "pivot", "ship").rejects("mail");

        assertThat(order.stepStatus("mail")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(order.status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void an_interrupted_attempt_is_repeated_whatever_the_policy_excludes() {
        order.ends("a", Phase.ACTION, Outcome.INTERRUPTED, false);

        assertThat(order.calls()).containsExactly("ACTION a 2");
    }
}
