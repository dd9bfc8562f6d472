package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Claims, takeovers, suspects, and intents that are given back. */
class HandoverTest {
    private final Walk order = new Walk(Sagas.order());
    private final Walk local = new Walk(Sagas.local());

    @Test
    void an_intent_that_was_never_called_is_called_unchanged() {
        SagaState before = order.state();

        order.claimed();

        assertThat(order.calls()).containsExactly("ACTION a 1");
        assertThat(order.state()).isEqualTo(before);
        assertThat(order.facts()).isEmpty();
    }

    @Test
    void a_compensation_that_was_never_called_is_called_unchanged() {
        order.does("a").rejects("b").claimed();

        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
        assertThat(order.facts()).isEmpty();
    }

    @Test
    void a_claim_begins_what_has_become_due() {
        order.fails("a").after(Sagas.DELAY).claimed();

        assertThat(order.calls()).containsExactly("ACTION a 2");
    }

    @Test
    void an_intent_that_was_never_called_is_given_up_when_the_deadline_has_passed() {
        Walk late = new Walk(Sagas.order(), Duration.ofSeconds(1))
                .after(Duration.ofSeconds(1))
                .claimed();

        assertThat(late.calls()).isEmpty();
        assertThat(late.facts()).containsExactly("SAGA TURNED DEADLINE_EXCEEDED", "SAGA ENDED");
        assertThat(late.stepStatus("a")).isEqualTo(StepStatus.PENDING);
    }

    @Test
    void an_action_that_was_never_called_does_not_begin_once_the_saga_has_turned() {
        order.does("a").cancelled().claimed();

        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.PENDING);
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void an_attempt_whose_node_is_lost_is_in_doubt_and_is_repeated() {
        order.takenOver();

        assertThat(order.facts()).containsExactly("ACTION a 1 TAKEN_OVER");
        assertThat(order.calls()).containsExactly("ACTION a 2");
        assertThat(order.step("a").inDoubt()).isTrue();
        assertThat(order.step("a").takeovers()).isOne();
        assertThat(order.step("a").failures()).isZero();
        assertThat(order.rejects("a").calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_transactional_attempt_whose_node_is_lost_just_runs_again() {
        local.takenOver();

        assertThat(local.calls()).containsExactly("ACTION a 2");
        assertThat(local.step("a").inDoubt()).isFalse();
    }

    @Test
    void a_compensation_whose_node_is_lost_is_repeated() {
        order.does("a").rejects("b").takenOver();

        assertThat(order.facts()).containsExactly("COMPENSATION a 1 TAKEN_OVER");
        assertThat(order.calls()).containsExactly("COMPENSATION a 2");
    }

    @Test
    void a_takeover_finds_nothing_lost_while_a_step_waits() {
        order.fails("a").takenOver();

        assertThat(order.facts()).isEmpty();
        assertThat(order.step("a").takeovers()).isZero();
    }

    @Test
    void an_action_that_is_awaited_and_lost_is_settled() {
        order.does("a").cancelled().takenOver();
        local.does("a").cancelled().takenOver();

        assertThat(order.facts()).containsExactly("ACTION b 1 TAKEN_OVER");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(local.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_step_that_has_killed_two_nodes_begins_only_when_admitted() {
        order.takenOver().takenOver();
        assertThat(order.calls()).isEmpty();
        assertThat(order.suspects()).containsExactly("a");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.WAITING);
        assertThat(order.timePasses().suspects()).containsExactly("a");

        order.admitted("a");
        assertThat(order.calls()).containsExactly("ACTION a 3");
        assertThat(order.suspects()).isEmpty();
    }

    @Test
    void a_compensation_that_has_killed_two_nodes_begins_only_when_admitted() {
        order.does("a").rejects("b").takenOver().takenOver();
        assertThat(order.suspects()).containsExactly("a");

        assertThat(order.admitted("a").calls()).containsExactly("COMPENSATION a 3");
    }

    @Test
    void a_suspect_is_not_admitted_before_its_time_or_after_the_turn() {
        order.kills(2, "a").admitted("a").fails("a").admitted("a");
        assertThat(order.calls()).isEmpty();

        order.cancelled().admitted("a");
        assertThat(order.calls()).isEmpty();
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATING);
    }

    @Test
    void after_five_lost_nodes_the_saga_parks() {
        order.kills(5, "a");
        local.kills(5, "a");

        assertThat(order.facts()).containsExactly("ACTION a 5 TAKEN_OVER", "SAGA PARKED TAKEOVER_LIMIT");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(local.stepStatus("a")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(local.state().reason()).isEqualTo(SagaReason.TAKEOVER_LIMIT);
    }

    @Test
    void four_lost_nodes_do_not_park() {
        assertThat(order.kills(4, "a").status()).isEqualTo(SagaStatus.RUNNING);
    }

    @Test
    void a_best_effort_step_is_given_up_after_five_lost_nodes() {
        order.does("a", "b", "pivot", "ship").kills(5, "mail");

        assertThat(order.stepStatus("mail")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(order.status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_compensation_is_given_up_after_five_lost_nodes_and_the_others_run() {
        order.does("a", "b").rejects("pivot").kills(5, "b");

        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.COMPENSATION_FAILED);
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void an_intent_that_is_given_back_is_as_if_it_had_never_been() {
        order.withdraws("a", Phase.ACTION);

        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.PENDING);
        assertThat(order.calls()).isEmpty();
        assertThat(order.facts()).isEmpty();
        assertThat(order.claimed().calls()).containsExactly("ACTION a 1");
    }

    @Test
    void a_later_intent_that_is_given_back_is_due_at_once() {
        order.takenOver().withdraws("a", Phase.ACTION);

        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.WAITING);
        assertThat(order.wakeAt()).isEqualTo(Duration.ZERO);
        assertThat(order.claimed().calls()).containsExactly("ACTION a 2");
    }

    @Test
    void a_compensation_that_is_given_back_is_due_at_once() {
        order.does("a").rejects("b").withdraws("a", Phase.COMPENSATION);

        assertThat(order.calls()).isEmpty();
        assertThat(order.wakeAt()).isEqualTo(Duration.ZERO);
        assertThat(order.claimed().calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void an_intent_that_is_given_back_after_the_turn_never_begins() {
        order.does("a").takenOver().cancelled().withdraws("b", Phase.ACTION);
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(order.calls()).isEmpty();

        assertThat(order.claimed().calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_transactional_attempt_after_a_failure_is_given_back_to_wait() {
        local.fails("a").after(Sagas.DELAY).timePasses().withdraws("a", Phase.ACTION);

        assertThat(local.stepStatus("a")).isEqualTo(StepStatus.WAITING);
        assertThat(local.claimed().calls()).containsExactly("ACTION a 2");
    }

    @Test
    void a_first_attempt_after_a_retry_stays_in_doubt_when_it_is_given_back() {
        order.kills(5, "a").retried().withdraws("a", Phase.ACTION);

        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.WAITING);
        assertThat(order.cancelled().calls()).containsExactly("COMPENSATION a 1");
    }
}
