package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Parked by the engine, and moved on by an operator. */
class ParkingTest {
    private final Walk order = new Walk(Sagas.order(), Duration.ofMinutes(1));

    @Test
    void a_result_that_is_too_large_counts_as_done() {
        order.does("a").stuck("b", SagaReason.RESULT_TOO_LARGE);

        assertThat(order.facts()).containsExactly("ACTION b 1 SUCCEEDED", "SAGA PARKED RESULT_TOO_LARGE");
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(order.step("b").completed()).isEqualTo(2);
        assertThat(order.retried().calls()).containsExactly("ACTION pivot 1");
    }

    @Test
    void a_result_that_would_not_read_back_counts_as_done() {
        order.does("a").stuck("b", SagaReason.RESULT_UNREADABLE);

        assertThat(order.facts()).containsExactly("ACTION b 1 SUCCEEDED", "SAGA PARKED RESULT_UNREADABLE");
        assertThat(order.retried()
                        .does("pivot", "ship")
                        .stuck("mail", SagaReason.RESULT_UNREADABLE)
                        .status())
                .isEqualTo(SagaStatus.COMPLETED);
    }

    @Test // D19
    void a_best_effort_step_whose_result_is_too_large_is_done_and_parks_nothing() {
        order.does("a", "b", "pivot", "ship").stuck("mail", SagaReason.RESULT_TOO_LARGE);

        assertThat(order.facts()).containsExactly("ACTION mail 1 SUCCEEDED", "SAGA ENDED");
        assertThat(order.stepStatus("mail")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(order.status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test // D19
    void a_best_effort_step_whose_result_is_too_large_holds_no_turn_up() {
        Walk branches = new Walk(Sagas.branches()).does("a").rejects("b");
        branches.does("c").stuck("mail", SagaReason.RESULT_TOO_LARGE);

        assertThat(branches.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(branches.calls()).containsExactly("COMPENSATION c 1");
    }

    @Test
    void a_saga_that_has_turned_needs_no_result() {
        Walk remote = new Walk(Sagas.branches()).does("a").rejects("b").stuck("c", SagaReason.RESULT_TOO_LARGE);

        assertThat(remote.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(remote.step("c").completed()).isEqualTo(2);
    }

    @Test
    void a_transactional_action_whose_result_cannot_be_kept_after_the_turn_took_no_effect_and_parks_nothing() {
        Walk local = new Walk(Sagas.local()).does("a").cancelled().stuck("b", SagaReason.RESULT_TOO_LARGE);

        assertThat(local.facts()).containsExactly("ACTION b 1 FAILED");
        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.PENDING);
        assertThat(local.step("b").inDoubt()).isFalse();
        assertThat(local.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(local.calls()).containsExactly("COMPENSATION a 1");
        assertThat(local.undoes("a").status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_best_effort_step_that_cannot_be_recorded_still_parks() {
        order.does("a", "b", "pivot", "ship").stuck("mail", SagaReason.UNREADABLE);

        assertThat(order.state().reason()).isEqualTo(SagaReason.UNREADABLE);
    }

    @Test
    void a_pivot_whose_result_is_too_large_decides() {
        order.does("a", "b").cancelled().stuck("pivot", SagaReason.RESULT_TOO_LARGE);

        assertThat(order.state().pending()).isNull();
        assertThat(order.retried().calls()).containsExactly("ACTION ship 1");
    }

    @Test
    void a_remote_attempt_that_cannot_be_recorded_may_have_taken_effect() {
        order.does("a").stuck("b", SagaReason.UNREADABLE);
        assertThat(order.facts()).containsExactly("ACTION b 1 FAILED", "SAGA PARKED UNREADABLE");
        assertThat(order.step("b").inDoubt()).isTrue();
        assertThat(order.calls()).isEmpty();

        assertThat(order.retried().calls()).containsExactly("ACTION b 1");
        assertThat(order.rejects("b").calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_transactional_attempt_that_cannot_be_recorded_took_no_effect() {
        Walk local = new Walk(Sagas.local()).stuck("a", SagaReason.RESULT_TOO_LARGE);

        assertThat(local.stepStatus("a")).isEqualTo(StepStatus.PENDING);
        assertThat(local.facts()).containsExactly("ACTION a 1 FAILED", "SAGA PARKED RESULT_TOO_LARGE");
        assertThat(local.retried().calls()).containsExactly("ACTION a 1");
    }

    @Test
    void a_compensation_that_cannot_go_on_keeps_the_direction() {
        order.does("a").rejects("b").stuck("a", SagaReason.UNREADABLE);
        assertThat(order.status()).isEqualTo(SagaStatus.FAILED);

        order.retried();
        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_saga_that_cannot_go_on_as_a_whole_parks() {
        order.fails("a").stuck("", SagaReason.STEP_UNKNOWN);
        assertThat(order.state().reason()).isEqualTo(SagaReason.STEP_UNKNOWN);

        assertThat(order.retried().calls()).containsExactly("ACTION a 1");
    }

    @Test
    void an_attempt_whose_end_was_lost_while_parked_is_in_doubt() {
        order.stuck("", SagaReason.UNREADABLE).retried();

        assertThat(order.facts()).containsExactly("SAGA RESUMED", "ACTION a 1 ABANDONED");
        assertThat(order.step("a").inDoubt()).isTrue();
        assertThat(order.calls()).containsExactly("ACTION a 1");
    }

    @Test
    void a_compensation_whose_end_was_lost_while_parked_is_repeated() {
        order.does("a").rejects("b").stuck("", SagaReason.UNREADABLE).retried();

        assertThat(order.facts()).containsExactly("SAGA RESUMED", "COMPENSATION a 1 ABANDONED");
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void an_action_whose_end_was_lost_while_parked_after_the_turn_is_settled() {
        order.does("a").cancelled().stuck("", SagaReason.UNREADABLE).retried();

        assertThat(order.facts()).containsExactly("SAGA RESUMED", "ACTION b 1 ABANDONED");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_saga_that_is_parked_is_parked_once() {
        order.does("a", "b").isSpent("pivot").stuck("", SagaReason.UNREADABLE);

        assertThat(order.state().parked()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(order.facts()).isEmpty();
    }

    @Test
    void a_parked_saga_does_not_move_by_itself() {
        SagaState parked = order.does("a", "b").isSpent("pivot").state();

        order.cancelled()
                .claimed()
                .takenOver()
                .after(Duration.ofDays(1))
                .timePasses()
                .admitted("pivot");

        assertThat(order.state()).isEqualTo(parked);
        assertThat(order.calls()).isEmpty();
    }

    @Test
    void a_retry_grants_fresh_attempts_and_lifts_the_deadline() {
        order.does("a", "b").isSpent("pivot").after(Duration.ofHours(1)).retried();

        assertThat(order.facts()).containsExactly("SAGA RESUMED");
        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.state().parked()).isNull();
        assertThat(order.state().deadline()).isNull();
        assertThat(order.calls()).containsExactly("ACTION pivot 1");
        assertThat(order.fails("pivot").status()).isEqualTo(SagaStatus.RUNNING);
    }

    @Test
    void what_was_in_doubt_stays_in_doubt() {
        order.does("a", "b").isSpent("pivot").retried().rejects("pivot");

        assertThat(order.state().reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
    }

    @Test
    void a_deadline_that_waited_for_the_pivot_is_lifted_too() {
        Walk local =
                new Walk(Sagas.local(), Duration.ofSeconds(1)).does("a", "b").kills(4, "pivot");
        local.after(Duration.ofSeconds(1)).timePasses();
        assertThat(local.state().pending()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);

        assertThat(local.takenOver().retried().calls()).containsExactly("ACTION pivot 1");
    }

    @Test
    void a_cancel_that_waited_for_the_pivot_is_not_forgotten() {
        Walk local = new Walk(Sagas.local())
                .does("a", "b")
                .kills(4, "pivot")
                .cancelled()
                .takenOver();
        assertThat(local.state().reason()).isEqualTo(SagaReason.TAKEOVER_LIMIT);

        assertThat(local.retried().facts()).containsExactly("SAGA RESUMED", "SAGA TURNED CANCELLED");
        assertThat(local.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_cancel_that_came_after_the_deadline_while_the_pivot_was_under_way_is_not_lifted_with_it() {
        Walk local =
                new Walk(Sagas.local(), Duration.ofSeconds(1)).does("a", "b").kills(4, "pivot");
        local.after(Duration.ofSeconds(1)).timePasses().cancelled().timePasses();
        assertThat(local.state().pending()).isEqualTo(SagaReason.CANCELLED);

        assertThat(local.takenOver().retried().facts()).containsExactly("SAGA RESUMED", "SAGA TURNED CANCELLED");
    }

    @Test
    void a_retriable_step_is_retried_after_a_rejection() {
        order.does("a", "b", "pivot").rejects("ship").retried();

        assertThat(order.calls()).containsExactly("ACTION ship 1");
        assertThat(order.does("ship", "mail").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_step_that_killed_its_nodes_is_no_suspect_after_a_retry() {
        order.kills(5, "a").retried();

        assertThat(order.calls()).containsExactly("ACTION a 1");
        assertThat(order.suspects()).isEmpty();
    }

    @Test
    void only_what_is_left_is_compensated_again() {
        order.does("a", "b").rejects("pivot").undoIsSpent("b").undoes("a").retried();
        assertThat(order.facts()).containsExactly("SAGA RESUMED");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATED);

        assertThat(order.undoes("b").status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void an_unknown_step_whose_compensation_is_repeated_still_comes_first() {
        order.does("a").isSpent("b").undoIsSpent("b").undoIsSpent("a").retried();

        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(order.undoes("b").calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_step_that_has_ended_stays_as_it_is_when_the_saga_cannot_go_on_because_of_it() {
        order.does("a").stuck("a", SagaReason.UNREADABLE);

        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(order.step("a").inDoubt()).isFalse();
        assertThat(order.facts()).containsExactly("SAGA PARKED UNREADABLE");
    }

    @Test
    void a_compensation_that_waited_while_parked_gets_fresh_attempts_at_once() {
        order.does("a")
                .rejects("b")
                .failsUndo("a")
                .stuck("", SagaReason.UNREADABLE)
                .retried();

        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
        assertThat(order.failsUndo("a").stepStatus("a")).isEqualTo(StepStatus.COMPENSATING);
    }

    @Test
    void a_parked_saga_waits_for_no_time() {
        order.fails("a").stuck("", SagaReason.UNREADABLE);

        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.WAITING);
        assertThat(order.wakeAt()).isNull();
    }
}
