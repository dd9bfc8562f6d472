package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The decision of a saga with TCC steps, and what follows from it. */
class ConfirmsTest {
    private final Walk tried = new Walk(Sagas.triedOrder(), Reachable.DEADLINE);
    private final Walk beside = new Walk(Sagas.triedBeside(), Reachable.DEADLINE);

    @Test
    void the_record_of_the_pivot_confirms_what_is_tried() {
        assertThat(tried.does("a").calls()).containsExactly("ACTION pivot 1");
        assertThat(tried.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        tried.does("pivot");
        assertThat(tried.calls())
                .as("what waits for the confirm is not begun, the other is")
                .containsExactly("CONFIRM a 1", "ACTION mail 1");
        assertThat(tried.stepStatus("a")).isEqualTo(StepStatus.CONFIRMING);
        assertThat(tried.confirms("a").calls()).containsExactly("ACTION ship 1");
        assertThat(tried.facts()).containsExactly("CONFIRM a 1 SUCCEEDED");
        assertThat(tried.does("ship", "mail").status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(tried.stepStatus("a")).isEqualTo(StepStatus.CONFIRMED);
    }

    @Test
    void without_a_pivot_the_last_try_decides() {
        assertThat(beside.calls()).containsExactly("ACTION a 1", "ACTION b 1");
        assertThat(beside.does("b").calls()).isEmpty();
        assertThat(beside.does("a").calls()).containsExactly("CONFIRM a 1", "CONFIRM b 1");
        assertThat(beside.confirms("b").status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(beside.confirms("a").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void it_never_flips() {
        beside.does("a", "b");
        assertThat(beside.cancelled().status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(beside.after(Duration.ofHours(1)).timePasses().status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(beside.claimed().status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(beside.calls()).as("nothing was called").containsExactly("CONFIRM a 1", "CONFIRM b 1");
        beside.confirms("a", "b").on(new SagaEvent.TurnRequested(Duration.ofHours(2), SagaReason.PARENT));
        assertThat(beside.status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_try_that_is_rejected_cancels_those_that_may_have_taken_effect() {
        beside.fails("a").does("b").after(Sagas.DELAY).timePasses();
        assertThat(beside.rejects("a").calls())
                .as("an attempt before was unknown")
                .containsExactly("COMPENSATION a 1");
        assertThat(beside.undoes("a").calls()).containsExactly("COMPENSATION b 1");
        assertThat(beside.undoes("b").status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(beside.state().reason()).isEqualTo(SagaReason.REJECTED);
    }

    @Test
    void a_wish_before_the_decision_cancels() {
        beside.does("a").cancelled();
        assertThat(beside.does("b").calls()).as("latest first").containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_confirm_has_its_own_counters() {
        beside.fails("a").after(Sagas.DELAY).timePasses().does("a", "b");
        assertThat(beside.calls()).containsExactly("CONFIRM a 1", "CONFIRM b 1");
        assertThat(beside.failsConfirm("a").calls()).isEmpty();
        assertThat(beside.facts()).containsExactly("CONFIRM a 1 FAILED");
        assertThat(beside.after(Sagas.DELAY).timePasses().calls()).containsExactly("CONFIRM a 2");
    }

    @Test
    void a_confirm_that_is_spent_parks_and_an_operator_goes_on_with_it() {
        beside.does("a", "b").confirms("b").failsConfirm("a").after(Sagas.DELAY).timePasses();
        beside.failsConfirm("a");
        assertThat(beside.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(beside.state().reason()).isEqualTo(SagaReason.RETRIABLE_EXHAUSTED);
        assertThat(beside.wakeAt()).isNull();
        assertThat(beside.stepStatus("a")).isEqualTo(StepStatus.CONFIRMING);
        assertThat(beside.cancelled().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(beside.retried().calls()).as("a fresh attempt").containsExactly("CONFIRM a 1");
        assertThat(beside.cancelled().status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(beside.confirms("a").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_confirm_that_is_rejected_parks_and_its_sibling_is_still_recorded() {
        beside.does("a", "b").rejects("a", Phase.CONFIRM);
        assertThat(beside.state().reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        assertThat(beside.confirms("b").stepStatus("b")).isEqualTo(StepStatus.CONFIRMED);
        assertThat(beside.retried().calls()).containsExactly("CONFIRM a 1");
    }

    @Test
    void who_takes_over_confirms_again() {
        beside.does("a", "b").confirms("b");
        assertThat(beside.takenOver().calls()).containsExactly("CONFIRM a 2");
        assertThat(beside.facts()).containsExactly("CONFIRM a 1 TAKEN_OVER");
        beside.kills(4, "a");
        assertThat(beside.state().reason()).isEqualTo(SagaReason.TAKEOVER_LIMIT);
        assertThat(beside.stepStatus("a")).isEqualTo(StepStatus.CONFIRMING);
        assertThat(beside.retried().confirms("a").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_confirm_that_was_never_called_is_called_later() {
        beside.does("a", "b").withdraws("a", Phase.CONFIRM);
        assertThat(beside.stepStatus("a")).isEqualTo(StepStatus.CONFIRMING);
        assertThat(beside.timePasses().calls()).containsExactly("CONFIRM a 1");
    }

    @Test
    void an_operator_who_ends_it_leaves_nothing_open() {
        beside.does("a", "b").confirms("b").forceCompleted();
        assertThat(beside.status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
        assertThat(beside.stepStatus("a")).isEqualTo(StepStatus.UNKNOWN);
        assertThat(beside.facts()).containsExactly("CONFIRM a 1 ABANDONED", "SAGA ENDED");
    }

    @Test
    void by_force_a_confirm_is_made_again() {
        beside.does("a", "b").confirms("b").retriedByForce();
        assertThat(beside.facts()).containsExactly("SAGA RESUMED", "CONFIRM a 1 ABANDONED");
        assertThat(beside.calls()).containsExactly("CONFIRM a 1");
    }

    @Test
    void what_ends_a_saga_waits_for_the_confirms() {
        Walk maybe = new Walk(Sagas.triedMaybe(Retry.fixed(Sagas.DELAY)));
        assertThat(maybe.allows("a").does("a").calls()).containsExactly("CONFIRM a 1");
        for (int i = 0; i < 50; i++) {
            maybe.failsConfirm("a").after(Sagas.DELAY).timePasses();
        }
        assertThat(maybe.calls()).as("for ever").containsExactly("CONFIRM a 51");
        assertThat(maybe.confirms("a").calls()).containsExactly("ACTION mail 1");
        assertThat(maybe.isSpent("mail").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void what_was_skipped_is_not_confirmed() {
        Walk maybe = new Walk(Sagas.triedMaybe());
        assertThat(maybe.skips("a").calls()).containsExactly("ACTION mail 1");
        assertThat(maybe.does("mail").status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(maybe.stepStatus("a")).isEqualTo(StepStatus.SKIPPED);
    }

    @Test
    void parked_at_the_decision_it_confirms_when_an_operator_lets_it_go_on() {
        beside.does("a").stuck("b", SagaReason.RESULT_TOO_LARGE);
        assertThat(beside.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(beside.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(beside.cancelled().retried().calls()).containsExactly("CONFIRM a 1", "CONFIRM b 1");
    }

    @Test
    void a_pivot_that_nobody_knows_of_confirms_nothing() {
        tried.does("a").isSpent("pivot");
        assertThat(tried.state().reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(tried.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(tried.retried().does("pivot").calls()).contains("CONFIRM a 1");
    }
}
