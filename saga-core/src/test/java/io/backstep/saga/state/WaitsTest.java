package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaStage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps that wait: for a signal, or for time. */
class WaitsTest {
    private static final Duration LATER = Duration.ofMinutes(5);

    private final Walk saga = new Walk(Sagas.waits());

    private Walk waiting() {
        return saga.does("a");
    }

    private Walk waitingAgain() {
        return waiting().answers("yes").does("pivot");
    }

    @Test
    void a_wait_calls_nobody_and_has_a_time() {
        waiting();

        assertThat(saga.step("yes").awaiting()).isTrue();
        assertThat(saga.stepStatus("yes")).isEqualTo(StepStatus.WAITING);
        assertThat(saga.calls()).isEmpty();
        assertThat(saga.state().underWay()).isFalse();
        assertThat(saga.wakeAt()).isEqualTo(Sagas.DELAY);
    }

    @Test
    void an_answer_lets_it_go_on() {
        waiting().answers("yes");

        assertThat(saga.facts()).containsExactly("ACTION yes 1 SUCCEEDED");
        assertThat(saga.calls()).containsExactly("ACTION pivot 1");
    }

    @Test
    void a_no_turns_it_and_leaves_nothing_to_undo_of_the_wait() {
        waiting().refuses("yes");

        assertThat(saga.facts()).containsExactly("ACTION yes 1 REJECTED", "SAGA TURNED REJECTED");
        assertThat(saga.calls()).containsExactly("COMPENSATION a 1");
        assertThat(saga.stepStatus("yes")).isEqualTo(StepStatus.REJECTED);
        saga.undoes("a");
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void unanswered_before_the_pivot_it_turns() {
        waiting().after(Sagas.DELAY).timePasses();

        assertThat(saga.facts()).containsExactly("ACTION yes 1 TIMED_OUT", "SAGA TURNED UNANSWERED");
        assertThat(saga.stepStatus("yes")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(saga.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void it_is_patient_to_the_last_moment() {
        waiting().after(Sagas.DELAY.minusNanos(1)).timePasses();

        assertThat(saga.step("yes").awaiting()).isTrue();
    }

    @Test
    void unanswered_after_the_pivot_it_is_parked_and_a_retry_waits_again() {
        waitingAgain().after(Sagas.DELAY).timePasses();
        assertThat(saga.facts()).containsExactly("ACTION late-yes 1 TIMED_OUT", "SAGA PARKED WAIT_TIMEOUT");
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.state().reason()).isEqualTo(SagaReason.WAIT_TIMEOUT);

        saga.after(LATER).retried();
        assertThat(saga.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(saga.step("late-yes").awaiting()).isTrue();
        assertThat(saga.wakeAt()).isEqualTo(LATER.plus(Sagas.DELAY).plus(Sagas.DELAY));
    }

    @Test
    void who_claims_it_when_the_time_is_up_calls_nothing_that_was_intended() {
        Walk late = new Walk(Sagas.saga("late")
                .pivot("pivot")
                .action(c -> {})
                .awaitSignal(Sagas.YES, Sagas.DELAY)
                .after("pivot")
                .retriable("ship")
                .after("pivot")
                .action(c -> {})
                .build());
        late.does("pivot").after(Sagas.DELAY).claimed();

        assertThat(late.state().reason()).isEqualTo(SagaReason.WAIT_TIMEOUT);
        assertThat(late.calls()).isEmpty();
        assertThat(late.stepStatus("ship")).isEqualTo(StepStatus.PENDING);
    }

    @Test
    void a_no_after_the_pivot_parks() {
        waitingAgain().refuses("late-yes");

        assertThat(saga.state().reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
    }

    @Test
    void a_delay_ends_by_itself() {
        waitingAgain().answers("late-yes");
        assertThat(saga.stepStatus("rest")).isEqualTo(StepStatus.WAITING);

        saga.after(Sagas.DELAY).timePasses();
        assertThat(saga.facts()).containsExactly("ACTION rest 1 SUCCEEDED", "SAGA ENDED");
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_cancelled_wait_is_given_up() {
        waiting().cancelled();

        assertThat(saga.stepStatus("yes")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(saga.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void answers_that_nobody_waits_for_change_nothing() {
        SagaState before = saga.state();
        assertThat(saga.answers("yes").state()).isEqualTo(before);

        waiting().answers("yes");
        before = saga.state();
        assertThat(saga.answers("yes").refuses("yes").state()).isEqualTo(before);

        saga.cancelled().withdraws("pivot", Phase.ACTION);
        before = saga.state();
        assertThat(saga.answers("late-yes").state()).isEqualTo(before);
    }

    @Test
    void a_takeover_leaves_a_wait_as_it_is() {
        SagaState before = waiting().state();

        assertThat(saga.takenOver().claimed().state()).isEqualTo(before);
        assertThat(saga.calls()).isEmpty();
    }

    @Test
    void an_early_answer_is_told_and_taken_with_a_later_write() {
        SagaMachine machine = new SagaMachine(Sagas.waits());
        SagaState start = saga.state();

        Transition early = machine.on(start, List.of(answer(1, "m1"), answer(1, "m2")), false);
        assertThat(early.state()).isEqualTo(start);
        assertThat(early.early()).extracting(SagaEvent.Answered::message).containsExactly("m1", "m2");

        Transition later = machine.on(start, List.of(answer(1, "m1"), done(0), answer(1, "m2")), false);
        assertThat(later.state().steps().get(1).status()).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(later.early()).isEmpty();
    }

    @Test
    void an_answer_that_is_there_wins_over_the_time() {
        SagaMachine machine = new SagaMachine(Sagas.waits());
        SagaEvent claimed = new SagaEvent.Claimed(LATER, false);

        Transition after = machine.on(waiting().state(), List.of(claimed, answer(1, "m")), false);
        assertThat(after.state().turned()).isNull();
        assertThat(after.state().steps().get(1).status()).isEqualTo(StepStatus.SUCCEEDED);
    }

    @Test
    void a_no_that_meets_attempts_that_are_taken_back_finds_all_of_them_taken_back() {
        SagaStage<String> stage =
                Sagas.undoable(Sagas.step(Sagas.saga("busy"), "a").step("b").afterStart());
        SagaMachine machine = new SagaMachine(
                stage.awaitSignal(Sagas.YES, Sagas.DELAY).afterStart().build());
        SagaEvent no = new SagaEvent.Answered(Duration.ZERO, 2, true, "m");

        SagaState start = machine.start(null, Duration.ZERO).state();
        for (List<SagaEvent> order : List.of(
                List.of(notCalled(0), notCalled(1), no),
                List.of(notCalled(0), no, notCalled(1)),
                List.of(no, notCalled(0), notCalled(1)))) {
            Transition after = machine.on(start, order, false);

            assertThat(after.state().status()).as("%s", order).isEqualTo(SagaStatus.COMPENSATED);
            assertThat(after.calls()).isEmpty();
        }
    }

    @Test
    void a_wait_counts_from_a_moment_that_is_never_too_early() {
        SagaMachine machine = new SagaMachine(Sagas.waits());

        Transition after = machine.on(saga.state(), List.of(done(0)), false, LATER);
        assertThat(machine.wakeAt(after.state())).isEqualTo(LATER.plus(Sagas.DELAY));
    }

    @Test
    void a_saga_that_starts_later_begins_then_and_its_deadline_counts_from_there() {
        SagaMachine machine = new SagaMachine(Sagas.waits());

        Transition start = machine.start(Sagas.DELAY, LATER);
        assertThat(start.calls()).isEmpty();
        assertThat(start.state().deadline()).isEqualTo(LATER.plus(Sagas.DELAY));
        assertThat(machine.wakeAt(start.state())).isEqualTo(LATER);
        assertThat(machine.on(start.state(), new SagaEvent.Claimed(LATER.minusNanos(1), false))
                        .calls())
                .isEmpty();
        assertThat(machine.on(start.state(), new SagaEvent.Claimed(LATER, false))
                        .calls())
                .hasSize(1);
    }

    @Test
    void one_that_is_cancelled_before_it_begins_waits_for_nothing() {
        SagaMachine machine = new SagaMachine(Sagas.waits());
        SagaEvent wish = new SagaEvent.TurnRequested(Duration.ZERO, SagaReason.CANCELLED);

        SagaState after = machine.on(machine.start(null, LATER).state(), wish).state();
        assertThat(after.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(after.steps()).allMatch(step -> step.notBefore() == null);
    }

    private static SagaEvent.Answered answer(int step, String message) {
        return new SagaEvent.Answered(Duration.ZERO, step, false, message);
    }

    private static SagaEvent notCalled(int step) {
        return new SagaEvent.Withdrawn(Duration.ZERO, step, Phase.ACTION);
    }

    private static SagaEvent done(int step) {
        return new SagaEvent.Succeeded(Duration.ZERO, step, Phase.ACTION);
    }
}
