package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Ended, or tried again, by an operator who does not wait. */
class ByForceTest {
    private final Walk order = new Walk(Sagas.order(), Duration.ofMinutes(1));

    @Test
    void a_remote_attempt_that_was_broken_off_at_the_end_may_have_taken_effect() {
        order.does("a").forceCompleted();

        assertThat(order.status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
        assertThat(order.facts()).containsExactly("ACTION b 1 ABANDONED", "SAGA ENDED");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(order.step("b").inDoubt()).isTrue();
        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.PENDING);
        assertThat(order.calls()).isEmpty();
        assertThat(order.wakeAt()).isNull();
    }

    @Test
    void a_transactional_attempt_that_was_broken_off_at_the_end_took_no_effect() {
        Walk local = new Walk(Sagas.local()).does("a").forceCompleted();

        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(local.step("b").inDoubt()).isFalse();
    }

    @Test
    void what_was_certainly_not_called_is_not_in_doubt_at_the_end() {
        order.does("a").withdraws("b", Phase.ACTION).forceCompleted();

        assertThat(order.facts()).containsExactly("SAGA ENDED");
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.PENDING);
    }

    @Test
    void what_waits_is_closed_at_the_end_as_what_it_may_be() {
        order.fails("a").forceCompleted();
        assertThat(order.facts()).containsExactly("SAGA ENDED");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.UNKNOWN);

        Walk local = new Walk(Sagas.local()).fails("a").forceCompleted();
        assertThat(local.stepStatus("a")).isEqualTo(StepStatus.GIVEN_UP);
    }

    @Test
    void a_compensation_that_was_broken_off_at_the_end_is_not_done() {
        order.does("a").rejects("b").forceCompleted();

        assertThat(order.facts()).containsExactly("COMPENSATION a 1 ABANDONED", "SAGA ENDED");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATION_FAILED);
        assertThat(order.step("a").completed()).isEqualTo(1);
        assertThat(order.state().reason()).isEqualTo(SagaReason.REJECTED);
    }

    @Test
    void a_compensation_that_waits_is_not_done_at_the_end() {
        order.does("a").rejects("b").failsUndo("a").forceCompleted();

        assertThat(order.facts()).containsExactly("SAGA ENDED");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATION_FAILED);
    }

    @Test
    void what_was_not_undone_yet_still_says_so_at_the_end() {
        order.does("a", "b").rejects("pivot").undoes("b").forceCompleted();

        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.COMPENSATED);
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATION_FAILED);
        assertThat(order.compensationOrder()).containsExactly("b", "a");
    }

    @Test
    void an_action_that_is_awaited_after_the_turn_is_broken_off_at_the_end() {
        order.does("a").cancelled().forceCompleted();

        assertThat(order.facts()).containsExactly("ACTION b 1 ABANDONED", "SAGA ENDED");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.UNKNOWN);
    }

    @Test
    void a_parked_saga_keeps_what_it_knows_at_the_end() {
        order.does("a", "b").isSpent("pivot").forceCompleted();

        assertThat(order.facts()).containsExactly("SAGA ENDED");
        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(order.state().parked()).isNull();
        assertThat(order.state().reason()).isNull();
    }

    @Test
    void what_a_parked_saga_did_not_wait_for_is_in_doubt_at_the_end() {
        order.does("a").stuck("", SagaReason.STEP_UNKNOWN).forceCompleted();

        assertThat(order.facts()).containsExactly("ACTION b 1 ABANDONED", "SAGA ENDED");
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.UNKNOWN);
    }

    @Test
    void no_wish_to_turn_is_pending_at_the_end() {
        order.does("a", "b").cancelled();
        assertThat(order.state().pending()).isEqualTo(SagaReason.CANCELLED);

        assertThat(order.forceCompleted().state().pending()).isNull();
        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.UNKNOWN);
    }

    @Test
    void nothing_happens_after_the_end() {
        SagaState ended = order.does("a").forceCompleted().state();

        order.cancelled().claimed().takenOver().after(Duration.ofDays(1)).timePasses();
        order.retriedByForce().forceCompleted();

        assertThat(order.state()).isEqualTo(ended);
        assertThat(order.facts()).isEmpty();
        assertThat(order.calls()).isEmpty();
    }

    @Test
    void what_has_ended_is_not_ended_again() {
        SagaState ended = order.rejects("a").state();
        assertThat(ended.status()).isEqualTo(SagaStatus.COMPENSATED);

        assertThat(order.forceCompleted().state()).isEqualTo(ended);
        assertThat(order.facts()).isEmpty();
    }

    @Test
    void a_retry_breaks_off_what_is_under_way_and_begins_at_once() {
        order.does("a").retriedByForce();

        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.facts()).containsExactly("SAGA RESUMED", "ACTION b 1 ABANDONED");
        assertThat(order.calls()).containsExactly("ACTION b 1");
        assertThat(order.step("b").inDoubt()).isTrue();
    }

    @Test
    void a_retry_does_not_wait_for_the_next_attempt() {
        order.fails("a").retriedByForce();

        assertThat(order.facts()).containsExactly("SAGA RESUMED");
        assertThat(order.calls()).containsExactly("ACTION a 1");
    }

    @Test
    void a_retry_makes_a_suspect_one_no_longer() {
        order.kills(3, "a").retriedByForce();

        assertThat(order.calls()).containsExactly("ACTION a 1");
        assertThat(order.suspects()).isEmpty();
    }

    @Test
    void a_retry_of_a_pivot_under_way_keeps_its_doubt_and_the_wish_to_turn() {
        order.does("a", "b").cancelled().retriedByForce();

        assertThat(order.calls()).containsExactly("ACTION pivot 1");
        assertThat(order.state().pending()).isEqualTo(SagaReason.CANCELLED);
        assertThat(order.rejects("pivot").state().reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
    }

    @Test
    void a_retry_of_a_transactional_pivot_under_way_lets_the_wish_to_turn_have_its_way() {
        Walk local = new Walk(Sagas.local()).does("a", "b").cancelled().retriedByForce();

        assertThat(local.facts()).containsExactly("SAGA RESUMED", "ACTION pivot 1 ABANDONED", "SAGA TURNED CANCELLED");
        assertThat(local.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_retry_forgets_a_deadline_that_has_passed() {
        order.does("a").after(Duration.ofHours(1)).retriedByForce();

        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.calls()).containsExactly("ACTION b 1");
        assertThat(order.wakeAt()).isNull();
    }

    @Test
    void a_retry_on_the_way_back_does_not_await_an_action() {
        order.does("a").cancelled().retriedByForce();

        assertThat(order.facts()).containsExactly("SAGA RESUMED", "ACTION b 1 ABANDONED");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_retry_begins_a_compensation_under_way_anew() {
        order.does("a", "b").rejects("pivot").failsUndo("b").after(Sagas.DELAY).timePasses();
        order.retriedByForce();

        assertThat(order.facts()).containsExactly("SAGA RESUMED", "COMPENSATION b 2 ABANDONED");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_best_effort_step_under_way_is_tried_again_too() {
        order.does("a", "b", "pivot", "ship").retriedByForce();
        assertThat(order.calls()).containsExactly("ACTION mail 1");

        Walk local = new Walk(Sagas.local()).does("a", "b", "pivot", "ship").retriedByForce();
        assertThat(local.calls()).containsExactly("ACTION mail 1");
    }
}
