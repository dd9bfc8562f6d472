package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The way back. */
class CompensationsTest {
    private final Walk order = new Walk(Sagas.order());

    @Test
    void compensations_run_one_at_a_time_the_latest_first() {
        order.does("a", "b").rejects("pivot");
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");

        order.undoes("b");
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
        assertThat(order.facts()).containsExactly("COMPENSATION b 1 SUCCEEDED");
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.COMPENSATED);

        order.undoes("a");
        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(order.facts()).containsExactly("COMPENSATION a 1 SUCCEEDED", "SAGA ENDED");
        assertThat(order.state().reason()).isEqualTo(SagaReason.REJECTED);
    }

    @Test
    void a_compensation_has_counters_of_its_own() {
        order.fails("a").after(Sagas.DELAY).timePasses().does("a").rejects("b");

        assertThat(order.step("a").failures()).isZero();
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void a_compensation_that_fails_is_tried_again_and_the_others_wait() {
        order.does("a", "b").rejects("pivot").failsUndo("b");
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.COMPENSATING);
        assertThat(order.facts()).containsExactly("COMPENSATION b 1 FAILED");
        assertThat(order.timePasses().calls()).isEmpty();

        order.after(Sagas.DELAY).timePasses();
        assertThat(order.calls()).containsExactly("COMPENSATION b 2");
    }

    @Test
    void the_others_still_run_when_one_is_spent_and_then_the_saga_parks() {
        order.does("a", "b").rejects("pivot").undoIsSpent("b");
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.COMPENSATION_FAILED);
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");

        order.undoes("a");
        assertThat(order.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(order.state().reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(order.state().turned()).isEqualTo(SagaReason.REJECTED);
        assertThat(order.facts()).containsExactly("COMPENSATION a 1 SUCCEEDED", "SAGA PARKED COMPENSATION_EXHAUSTED");
        assertThat(order.wakeAt()).isNull();
    }

    @Test
    void a_rejected_compensation_is_not_tried_again() {
        order.does("a").rejects("b").rejectsUndo("a");

        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATION_FAILED);
        assertThat(order.step("a").failures()).isOne();
        assertThat(order.facts()).containsExactly("COMPENSATION a 1 REJECTED", "SAGA PARKED COMPENSATION_EXHAUSTED");
    }

    @Test
    void an_interrupted_compensation_does_not_spend_the_policy() {
        order.does("a").rejects("b").ends("a", Phase.COMPENSATION, Outcome.INTERRUPTED, true);
        assertThat(order.calls()).containsExactly("COMPENSATION a 2");

        order.failsUndo("a");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATING);
    }

    @Test
    void a_strict_definition_stops_at_the_first_that_is_spent() {
        Walk strict = new Walk(Sagas.strict()).does("a").isSpent("b").undoIsSpent("b");

        assertThat(strict.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(strict.calls()).isEmpty();
        assertThat(strict.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(strict.facts()).containsExactly("COMPENSATION b 2 FAILED", "SAGA PARKED COMPENSATION_EXHAUSTED");
    }

    @Test
    void a_step_that_needs_no_compensation_is_noted_once_when_all_is_undone() {
        Walk saga = new Walk(Sagas.undecided()).does("a", "note").rejects("b");
        assertThat(saga.calls()).containsExactly("COMPENSATION a 1");

        saga.undoes("a");
        assertThat(saga.facts())
                .containsExactly("COMPENSATION a 1 SUCCEEDED", "COMPENSATION note 0 SKIPPED", "SAGA ENDED");
        assertThat(saga.stepStatus("note")).isEqualTo(StepStatus.SUCCEEDED);
    }

    @Test
    void a_step_that_needs_no_compensation_and_did_nothing_is_not_noted() {
        Walk saga = new Walk(Sagas.undecided()).does("a").rejects("note").undoes("a");

        assertThat(saga.facts()).containsExactly("COMPENSATION a 1 SUCCEEDED", "SAGA ENDED");
    }

    @Test
    void nothing_to_undo_is_undone_at_once() {
        order.rejects("a");

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(order.facts()).containsExactly("ACTION a 1 REJECTED", "SAGA TURNED REJECTED", "SAGA ENDED");
    }

    @Test
    void the_order_stays_while_it_is_worked_off() {
        order.does("a", "b").rejects("pivot");
        assertThat(order.compensationOrder()).containsExactly("b", "a");
        assertThat(order.undoIsSpent("b").compensationOrder()).containsExactly("b", "a");
        assertThat(order.undoes("a").compensationOrder()).containsExactly("b", "a");
    }

    @Test
    void the_order_of_a_saga_that_has_not_turned_is_what_would_be_undone() {
        order.does("a").fails("b");

        assertThat(order.compensationOrder()).containsExactly("b", "a");
    }

    @Test
    void the_deadline_is_void_on_the_way_back() {
        Walk late = new Walk(Sagas.order(), Duration.ofSeconds(5)).does("a").rejects("b");

        assertThat(late.wakeAt()).isNull();
        assertThat(late.failsUndo("a").wakeAt()).isEqualTo(Sagas.DELAY);
    }
}
