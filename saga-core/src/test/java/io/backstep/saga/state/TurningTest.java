package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Cancel and deadline: when they turn a saga, when they wait for the pivot, when they are void. */
class TurningTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Walk order = new Walk(Sagas.order(), MINUTE);
    private final Walk local = new Walk(Sagas.local(), MINUTE);

    @Test
    void what_is_under_way_is_awaited_before_anything_is_undone() {
        order.does("a").cancelled();

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(order.facts()).containsExactly("SAGA TURNED CANCELLED");
        assertThat(order.calls()).isEmpty();
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.EXECUTING);

        assertThat(order.does("b").calls()).containsExactly("COMPENSATION b 1");
        assertThat(order.facts()).containsExactly("ACTION b 1 SUCCEEDED");
    }

    @Test
    void what_is_awaited_and_fails_is_not_tried_again() {
        order.does("a").cancelled().fails("b");
        local.does("a").cancelled().fails("b");

        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(local.calls()).containsExactly("COMPENSATION a 1");
        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.GIVEN_UP);
    }

    @Test
    void what_is_awaited_and_is_interrupted_is_not_tried_again() {
        order.does("a").cancelled().ends("b", Phase.ACTION, Outcome.INTERRUPTED, true);

        assertThat(order.facts()).containsExactly("ACTION b 1 INTERRUPTED");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void what_is_awaited_and_rejected_is_compensated_only_when_in_doubt() {
        order.does("a").cancelled().rejects("b");
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");

        Walk doubt = new Walk(Sagas.order())
                .does("a")
                .fails("b")
                .after(Sagas.DELAY)
                .timePasses()
                .cancelled();
        assertThat(doubt.rejects("b").calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void what_waits_for_its_next_attempt_is_in_doubt() {
        order.does("a").fails("b").cancelled();
        local.does("a").fails("b").cancelled();

        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(local.stepStatus("b")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(local.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void the_deadline_turns_a_saga_that_is_undecided() {
        order.does("a").after(MINUTE).timePasses();

        assertThat(order.facts()).containsExactly("SAGA TURNED DEADLINE_EXCEEDED");
    }

    @Test
    void the_deadline_is_not_early() {
        order.after(MINUTE.minusNanos(1)).timePasses();

        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.wakeAt()).isEqualTo(MINUTE);
    }

    @Test
    void no_step_begins_after_the_deadline() {
        order.after(MINUTE).does("a");

        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
        assertThat(order.facts()).containsExactly("ACTION a 1 SUCCEEDED", "SAGA TURNED DEADLINE_EXCEEDED");
    }

    @Test
    void from_the_intent_of_the_pivot_on_a_cancel_waits() {
        order.does("a", "b").cancelled();

        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.state().pending()).isEqualTo(SagaReason.CANCELLED);
        assertThat(order.facts()).isEmpty();
    }

    @Test
    void a_wish_that_waits_is_void_once_the_pivot_is_recorded() {
        order.does("a", "b").cancelled().does("pivot");

        assertThat(order.state().pending()).isNull();
        assertThat(order.calls()).containsExactly("ACTION ship 1");
    }

    @Test
    void the_first_wish_gives_the_reason() {
        order.does("a", "b").cancelled().after(MINUTE).timePasses();
        assertThat(order.state().pending()).isEqualTo(SagaReason.CANCELLED);

        order.rejects("pivot");
        assertThat(order.facts()).containsExactly("ACTION pivot 1 REJECTED", "SAGA TURNED CANCELLED");
        assertThat(order.state().pending()).isNull();
    }

    @Test
    void a_wish_that_waits_is_granted_when_a_transactional_pivot_fails() {
        local.does("a", "b").cancelled().fails("pivot");

        assertThat(local.facts()).containsExactly("ACTION pivot 1 FAILED", "SAGA TURNED CANCELLED");
        assertThat(local.stepStatus("pivot")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(local.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_wish_that_waits_is_granted_when_the_pivot_was_never_called() {
        order.does("a", "b").cancelled().withdraws("pivot", Phase.ACTION);
        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);

        order.claimed();
        assertThat(order.facts()).containsExactly("SAGA TURNED CANCELLED");
        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.PENDING);
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_pivot_in_doubt_is_tried_again_although_a_wish_waits() {
        order.does("a", "b").fails("pivot").cancelled();
        assertThat(order.state().pending()).isEqualTo(SagaReason.CANCELLED);

        order.after(Sagas.DELAY).timePasses();
        assertThat(order.calls()).containsExactly("ACTION pivot 2");
        assertThat(order.does("pivot").status()).isEqualTo(SagaStatus.RUNNING);
    }

    @Test
    void a_pivot_that_stays_unknown_never_turns() {
        order.does("a", "b").cancelled().isSpent("pivot");

        assertThat(order.state().reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(order.state().turned()).isNull();
    }

    @Test
    void nothing_turns_a_saga_that_is_decided() {
        order.does("a", "b", "pivot").cancelled().after(MINUTE).timePasses();

        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.state().pending()).isNull();
        assertThat(order.facts()).isEmpty();
        assertThat(order.wakeAt()).isNull();
    }

    @Test
    void without_a_pivot_the_last_step_that_is_not_best_effort_decides() {
        Walk undecided = new Walk(Sagas.undecided(), MINUTE).does("a", "note");
        assertThat(undecided.wakeAt()).isEqualTo(MINUTE);

        undecided.does("b").cancelled().after(MINUTE).timePasses();
        assertThat(undecided.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(undecided.wakeAt()).isNull();
        assertThat(undecided.does("mail").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_second_wish_changes_nothing() {
        order.does("a").cancelled().after(MINUTE).timePasses().cancelled();

        assertThat(order.state().turned()).isEqualTo(SagaReason.CANCELLED);
        assertThat(order.facts()).isEmpty();
    }

    @Test
    void a_saga_that_is_late_before_it_begins_calls_nothing() {
        Walk late = new Walk(Sagas.order(), Duration.ZERO);

        assertThat(late.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(late.calls()).isEmpty();
        assertThat(late.facts()).containsExactly("SAGA TURNED DEADLINE_EXCEEDED", "SAGA ENDED");
    }

    @Test
    void while_a_wish_waits_the_deadline_wakes_nobody() {
        order.does("a", "b").cancelled();

        assertThat(order.wakeAt()).isNull();
    }

    @Test
    void the_nearest_time_wakes() {
        order.fails("a");

        assertThat(order.wakeAt()).isEqualTo(Sagas.DELAY);
    }

    @Test
    void a_second_wish_that_waits_does_not_replace_the_first() {
        order.does("a", "b").cancelled().on(new SagaEvent.TurnRequested(Duration.ZERO, SagaReason.OPERATOR));

        assertThat(order.state().pending()).isEqualTo(SagaReason.CANCELLED);
    }

    @Test
    void a_void_wish_begins_nothing() {
        order.does("a", "b", "pivot").withdraws("ship", Phase.ACTION).cancelled();

        assertThat(order.calls()).isEmpty();
        assertThat(order.stepStatus("ship")).isEqualTo(StepStatus.PENDING);
    }
}
