package io.backstep.saga.test.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.state.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The exploration finds a machine that is broken where it deals with children. */
class BrokenChildrenTest {
    private static final Predicate<StepState> RUNS = s -> s.awaiting() && s.status() == StepStatus.WAITING;
    private static final Predicate<StepState> GOES_BACK = s -> s.awaiting() && s.status() == StepStatus.COMPENSATING;

    @Test
    void the_whole_machine_has_no_finding() {
        assertThat(found("kc", (state, event) -> state)).isEmpty();
        assertThat(found("v", (state, event) -> state)).isEmpty();
    }

    @Test
    void a_second_child_for_one_that_runs_is_found() {
        assertThat(found(
                        "ck",
                        (state, event) -> isClaim(event) ? with(state, RUNS, s -> as(s, StepStatus.PENDING)) : state))
                .contains("child: it is awaited until its end is told");
    }

    @Test
    void a_parent_that_turns_without_waiting_for_its_child_is_found() {
        assertThat(found(
                        "ck",
                        (state, event) -> state.status() == SagaStatus.COMPENSATING
                                ? with(state, RUNS, s -> as(s, StepStatus.GIVEN_UP))
                                : state))
                .contains("child: it is awaited until its end is told");
    }

    @Test
    void an_undo_that_takes_any_end_for_its_answer_is_found() {
        assertThat(foundTold("kc", (state, event) -> isEnd(event, GOES_BACK, state) ? undone(event) : event))
                .contains("child: an end that nobody waits for changes nothing");
    }

    @Test
    void a_child_that_was_compensated_and_is_taken_as_completed_is_found() {
        assertThat(foundTold("kp", (state, event) -> isEnd(event, RUNS, state) ? completed(event) : event))
                .contains("child: COMPENSATED means that the step is rejected");
    }

    @Test
    void an_end_that_is_taken_twice_is_found() {
        Predicate<StepState> over = s -> s.children() > 0 && s.status() == StepStatus.SUCCEEDED;
        assertThat(found(
                        "kc",
                        (state, event) -> event instanceof SagaEvent.ChildEnded
                                ? with(state, over, BrokenChildrenTest::awaited)
                                : state))
                .contains("child: an end that nobody waits for changes nothing");
    }

    @Test
    void a_retry_that_forgets_that_a_child_goes_back_is_found() {
        assertThat(found(
                        "kc",
                        (state, event) -> event instanceof SagaEvent.Retried
                                ? with(state, GOES_BACK, s -> as(s, StepStatus.SUCCEEDED))
                                : state))
                .contains("child: it is awaited until its end is told");
    }

    @Test
    void a_parked_child_that_is_given_up_with_the_deadline_is_found() {
        assertThat(found(
                        "ck",
                        (state, event) -> event instanceof SagaEvent.TimePassed && Moves.NOW.equals(state.deadline())
                                ? with(state, RUNS, s -> as(s, StepStatus.REJECTED))
                                : state))
                .contains("child: it is awaited until its end is told");
    }

    @Test
    void a_pivot_that_turns_while_its_child_runs_is_found() {
        assertThat(found("v", (state, event) -> event instanceof SagaEvent.TurnRequested ? turned(state) : state))
                .contains("child: it is awaited until its end is told");
    }

    @Test
    void a_completed_saga_with_a_pivot_that_is_taken_back_is_found() {
        assertThat(found("cp", BrokenChildrenTest::reopened)).contains("final: what has ended stays as it is");
    }

    @Test
    void a_completed_saga_that_its_parent_cannot_take_back_is_found() {
        assertThat(foundTold(
                        "cc",
                        (state, event) ->
                                state.status() == SagaStatus.COMPLETED ? new SagaEvent.TimePassed(event.now()) : event))
                .contains("child: its parent turns one that has completed");
    }

    private static boolean isClaim(SagaEvent event) {
        return event instanceof SagaEvent.Claimed e && e.takenOver();
    }

    private static boolean isEnd(SagaEvent event, Predicate<StepState> awaited, SagaState state) {
        return event instanceof SagaEvent.ChildEnded e
                && awaited.test(state.steps().get(e.step()));
    }

    private static SagaEvent undone(SagaEvent event) {
        SagaEvent.ChildEnded e = (SagaEvent.ChildEnded) event;
        return new SagaEvent.ChildEnded(e.now(), e.step(), true, e.message());
    }

    private static SagaEvent completed(SagaEvent event) {
        SagaEvent.ChildEnded e = (SagaEvent.ChildEnded) event;
        return new SagaEvent.ChildEnded(e.now(), e.step(), false, e.message());
    }

    private static SagaState turned(SagaState s) {
        return with(s, RUNS, step -> as(step, StepStatus.PENDING));
    }

    /** As if its parent's wish were one to turn a saga that goes on. */
    private static SagaState reopened(SagaState s, SagaEvent event) {
        boolean back = s.status() == SagaStatus.COMPLETED
                && event instanceof SagaEvent.TurnRequested e
                && e.reason() == SagaReason.PARENT;
        return back
                ? new SagaState(SagaStatus.COMPENSATING, SagaReason.PARENT, null, null, s.deadline(), s.steps())
                : s;
    }

    private static SagaState with(SagaState s, Predicate<StepState> which, UnaryOperator<StepState> change) {
        List<StepState> steps = new ArrayList<>(s.steps());
        steps.replaceAll(step -> which.test(step) ? change.apply(step) : step);
        return new SagaState(s.status(), s.turned(), s.pending(), s.parked(), s.deadline(), steps);
    }

    private static StepState as(StepState s, StepStatus status) {
        return changed(s, status, false);
    }

    private static StepState awaited(StepState s) {
        return changed(s, StepStatus.WAITING, true);
    }

    private static StepState changed(StepState s, StepStatus status, boolean awaiting) {
        return new StepState(
                status,
                s.failures(),
                s.interruptions(),
                s.takeovers(),
                s.inDoubt(),
                s.undecided(),
                awaiting,
                s.children(),
                s.completed(),
                null,
                s.question());
    }

    /** The rules that a machine breaks which sees another state than there is. */
    private static List<String> found(String shape, BiFunction<SagaState, SagaEvent, SagaState> seen) {
        return found(Shape.of(shape), seen, (state, event) -> event);
    }

    /** The rules that a machine breaks which hears something else than was told. */
    private static List<String> foundTold(String shape, BiFunction<SagaState, SagaEvent, SagaEvent> heard) {
        return found(Shape.of(shape), (state, event) -> state, heard);
    }

    private static List<String> found(
            SagaDefinition<?> saga,
            BiFunction<SagaState, SagaEvent, SagaState> seen,
            BiFunction<SagaState, SagaEvent, SagaEvent> heard) {
        Machine broken = new Broken(saga) {
            @Override
            public Transition on(SagaState state, SagaEvent event) {
                return super.on(seen.apply(state, event), heard.apply(state, event));
            }
        };
        Findings findings = new Findings();
        new Explorer("broken", saga, broken, Bounds.faults(2).withOperator(), findings, new Coverage()).run();
        return findings.rules();
    }
}
