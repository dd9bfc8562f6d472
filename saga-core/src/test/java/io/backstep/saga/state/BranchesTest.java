package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import org.junit.jupiter.api.Test;

/** Steps that wait for the same ones run side by side: what a step waits for decides, never its index. */
class BranchesTest {
    private final Walk saga = new Walk(Sagas.branches()).does("a");

    @Test
    void steps_that_wait_for_the_same_ones_begin_together() {
        assertThat(saga.calls()).containsExactly("ACTION b 1", "ACTION c 1", "ACTION mail 1");
    }

    @Test
    void a_step_begins_when_all_that_it_waits_for_is_done() {
        assertThat(saga.does("c").calls()).isEmpty();
        assertThat(saga.does("b").calls()).containsExactly("ACTION pivot 1");
        assertThat(saga.does("pivot").calls()).isEmpty();
        assertThat(saga.rejects("mail").calls()).containsExactly("ACTION ship 1");
    }

    @Test
    void the_order_of_completion_decides_the_order_of_compensation() {
        saga.does("c", "b", "mail").rejects("pivot");

        assertThat(saga.compensationOrder()).containsExactly("b", "c", "a");
        assertThat(saga.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void every_sibling_is_awaited_before_anything_is_undone() {
        saga.does("b").rejects("c");
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(saga.calls()).isEmpty();

        assertThat(saga.fails("mail").calls()).containsExactly("COMPENSATION b 1");
        assertThat(saga.undoes("b", "a").status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.stepStatus("mail")).isEqualTo(StepStatus.UNKNOWN);
    }

    @Test
    void a_sibling_that_waits_for_its_next_attempt_is_unknown_and_comes_first() {
        saga.does("b").fails("c").does("mail").cancelled();

        assertThat(saga.calls()).containsExactly("COMPENSATION c 1");
        assertThat(saga.compensationOrder()).containsExactly("c", "b", "a");
    }

    @Test
    void a_second_rejection_changes_no_reason() {
        saga.cancelled().rejects("b").rejects("c");

        assertThat(saga.state().turned()).isEqualTo(SagaReason.CANCELLED);
        assertThat(saga.facts()).containsExactly("ACTION c 1 REJECTED");
        assertThat(saga.stepStatus("mail")).isEqualTo(StepStatus.EXECUTING);
    }

    @Test
    void a_sibling_of_the_pivot_goes_on_while_a_wish_waits() {
        saga.does("b", "c").cancelled().fails("mail").after(Sagas.DELAY).timePasses();

        assertThat(saga.calls()).containsExactly("ACTION mail 2");
        assertThat(saga.state().pending()).isEqualTo(SagaReason.CANCELLED);
    }

    @Test
    void every_lost_attempt_is_taken_over_and_suspects_are_listed_together() {
        saga.takenOver();
        assertThat(saga.facts())
                .containsExactly("ACTION b 1 TAKEN_OVER", "ACTION c 1 TAKEN_OVER", "ACTION mail 1 TAKEN_OVER");

        saga.takenOver();
        assertThat(saga.suspects()).containsExactly("b", "c", "mail");
        saga.admitted("c");
        assertThat(saga.calls()).containsExactly("ACTION c 3");
        assertThat(saga.suspects()).containsExactly("b", "mail");
    }

    @Test
    void the_end_of_a_sibling_is_recorded_after_the_saga_is_parked() {
        saga.stuck("b", SagaReason.UNREADABLE).does("c").rejects("mail");

        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.facts()).containsExactly("ACTION mail 1 REJECTED");
        assertThat(saga.calls()).isEmpty();
        assertThat(saga.retried().calls()).containsExactly("ACTION b 1");
    }

    @Test
    void a_sibling_that_is_rejected_while_the_saga_is_parked_is_tried_again_later() {
        saga.does("mail").stuck("b", SagaReason.UNREADABLE).rejects("c");
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);

        assertThat(saga.retried().calls()).containsExactly("ACTION b 1", "ACTION c 1");
    }

    @Test
    void a_best_effort_step_that_is_awaited_is_settled_by_what_is_known_of_it() {
        saga.cancelled().does("b", "c").rejects("mail");
        assertThat(saga.stepStatus("mail")).isEqualTo(StepStatus.REJECTED);

        Walk lost = new Walk(Sagas.branches())
                .does("a")
                .takenOver()
                .cancelled()
                .does("b", "c")
                .rejects("mail");
        assertThat(lost.stepStatus("mail")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(lost.calls()).containsExactly("COMPENSATION c 1");
    }

    @Test
    void of_two_unknown_steps_whose_compensations_are_repeated_the_second_is_unknown_again() {
        saga.does("mail")
                .failsForGood("b")
                .failsForGood("c")
                .undoIsSpent("c")
                .undoIsSpent("b")
                .undoes("a");
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);

        assertThat(saga.retried().calls()).containsExactly("COMPENSATION c 1");
        assertThat(saga.stepStatus("b")).isEqualTo(StepStatus.UNKNOWN);
    }
}
