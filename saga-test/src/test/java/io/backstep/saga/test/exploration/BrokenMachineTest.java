package io.backstep.saga.test.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.Fact;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.state.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The exploration finds a machine that is broken. */
class BrokenMachineTest {
    private static final SagaDefinition<String> SAGA = Shape.of("ccpr");

    @Test
    void the_whole_machine_has_no_finding() {
        assertThat(found(new Broken(SAGA)).rules()).isEmpty();
    }

    @Test
    void forgotten_doubt_is_found() {
        assertThat(found(answering(t -> with(t, BrokenMachineTest::withoutDoubt)))
                        .rules("unknown"))
                .isNotEmpty();
    }

    @Test
    void lost_nodes_that_count_as_failures_are_found() {
        assertThat(found(answering(t -> with(t, BrokenMachineTest::withoutTakeovers)))
                        .rules("policy"))
                .isNotEmpty();
    }

    @Test
    void a_forgotten_wish_to_turn_is_found() {
        assertThat(found(answering(BrokenMachineTest::withoutPending)).rules("turning"))
                .isNotEmpty();
    }

    @Test
    void a_lost_line_of_history_is_found() {
        Broken machine = answering(t -> new Transition(t.state(), t.calls(), List.of(), t.suspects()));

        assertThat(found(machine).rules("history")).isNotEmpty();
    }

    @Test
    void a_lost_call_is_found() {
        Broken machine = answering(t -> new Transition(t.state(), List.of(), t.facts(), t.suspects()));

        assertThat(found(machine).rules("state")).isNotEmpty();
    }

    @Test
    void a_call_made_twice_is_found() {
        Broken machine = answering(t -> {
            List<Call> twice = new ArrayList<>(t.calls());
            twice.addAll(t.calls());
            return new Transition(t.state(), twice, t.facts(), t.suspects());
        });

        assertThat(found(machine).rules("calls")).isNotEmpty();
    }

    @Test
    void a_failure_taken_as_a_rejection_is_found() {
        Broken machine = new Broken(SAGA) {
            @Override
            public Transition on(SagaState state, SagaEvent event) {
                boolean spends = event instanceof SagaEvent.Failed e && !e.retryable();
                return super.on(state, spends ? rejected((SagaEvent.Failed) event) : event);
            }
        };

        assertThat(found(machine).rules("state")).isNotEmpty();
    }

    @Test
    void a_machine_that_forgets_the_time_is_found() {
        Broken machine = new Broken(SAGA) {
            @Override
            public @Nullable Duration wakeAt(SagaState state) {
                return null;
            }
        };

        assertThat(found(machine).rules("progress")).isNotEmpty();
    }

    @Test
    void a_wrong_order_is_found() {
        Broken machine = new Broken(SAGA) {
            @Override
            public List<Integer> compensationOrder(SagaState state) {
                List<Integer> order = new ArrayList<>(super.compensationOrder(state));
                Collections.reverse(order);
                return order;
            }
        };

        assertThat(found(machine).rules("order")).isNotEmpty();
    }

    @Test
    void an_end_by_force_that_leaves_a_step_waiting_is_found() {
        assertThat(found(ending(t -> with(t, BrokenMachineTest::waitingIfSettled)))
                        .rules("end"))
                .contains("end: FORCE_COMPLETED leaves no step open");
    }

    @Test
    void an_end_by_force_that_calls_something_is_found() {
        Broken machine = ending(
                t -> new Transition(t.state(), List.of(new Call(0, Phase.COMPENSATION, 1)), t.facts(), t.suspects()));

        assertThat(found(machine).rules("end")).contains("end: FORCE_COMPLETED runs nothing more");
    }

    @Test
    void an_end_by_force_that_forgets_a_doubt_is_found() {
        assertThat(found(ending(t -> with(t, BrokenMachineTest::givenUpIfUnknown)))
                        .rules("end"))
                .contains("end: FORCE_COMPLETED says of each step what is true");
        assertThat(found(ending(t -> with(t, BrokenMachineTest::withoutDoubt))).rules("unknown"))
                .contains("unknown: FORCE_COMPLETED forgets no doubt");
    }

    @Test
    void an_end_by_force_that_hides_a_compensation_is_found() {
        assertThat(found(ending(t -> with(t, BrokenMachineTest::undoneIfFailed)))
                        .rules("end"))
                .contains("end: FORCE_COMPLETED hides no compensation that was not done");
    }

    @Test
    void an_end_by_force_that_can_be_undone_is_found() {
        Broken machine = new Broken(SAGA) {
            @Override
            public Transition on(SagaState state, SagaEvent event) {
                boolean again = state.status() == SagaStatus.FORCE_COMPLETED && event instanceof SagaEvent.Retried;
                return super.on(again ? with(state, SagaStatus.FAILED, SagaReason.UNREADABLE) : state, event);
            }
        };

        assertThat(found(machine).rules("final")).contains("final: what has ended stays as it is");
    }

    @Test
    void an_operators_wish_that_begins_a_pivot_is_found() {
        Broken machine = new Broken(SAGA) {
            @Override
            public Transition on(SagaState state, List<SagaEvent> events) {
                return oneByOne(this, state, events);
            }
        };

        assertThat(found(machine).rules("write")).isNotEmpty();
    }

    @Test
    void a_retry_by_force_that_waits_for_what_is_due_later_is_found() {
        Broken machine = new Broken(SAGA) {
            @Override
            public Transition on(SagaState state, SagaEvent event) {
                Transition t = super.on(state, event);
                boolean waits = event instanceof SagaEvent.Retried && t.calls().size() == 1;
                return waits ? withoutItsCall(t) : t;
            }
        };

        assertThat(found(machine).rules("retry")).isNotEmpty();
    }

    @Test
    void a_wait_that_ends_when_anybody_looks_is_found() {
        SagaDefinition<String> waits = Shape.of("cdsp");
        Machine machine = new Broken(waits) {
            @Override
            public Transition on(SagaState state, SagaEvent event) {
                boolean looks = event instanceof SagaEvent.Claimed || event instanceof SagaEvent.TimePassed;
                return super.on(looks ? withWaitsThatAreUp(state, event.now()) : state, event);
            }
        };

        assertThat(found(waits, machine).rules("wait"))
                .contains(
                        "wait: it ends by its answer, or its time, never early",
                        "wait: nobody is late before the time is up");
        assertThat(found(waits, new Broken(waits)).rules()).isEmpty();
    }

    private static SagaState withWaitsThatAreUp(SagaState s, Duration now) {
        List<StepState> steps = s.steps().stream()
                .map(step -> step.awaiting() ? waitingUntil(step, now) : step)
                .toList();
        return new SagaState(s.status(), s.turned(), s.pending(), s.parked(), s.deadline(), steps);
    }

    private static StepState waitingUntil(StepState s, Duration until) {
        return new StepState(
                s.status(),
                s.failures(),
                s.interruptions(),
                s.takeovers(),
                s.inDoubt(),
                s.undecided(),
                s.awaiting(),
                s.children(),
                s.completed(),
                until,
                s.question());
    }

    @Test
    void a_machine_that_cannot_answer_is_found() {
        Broken machine = answering(t -> {
            throw new IllegalStateException("no answer");
        });

        assertThat(found(machine).rules("machine")).isNotEmpty();
    }

    private static Findings found(Machine machine) {
        return found(SAGA, machine);
    }

    private static Findings found(SagaDefinition<?> saga, Machine machine) {
        Findings findings = new Findings();
        new Explorer("broken", saga, machine, Bounds.faults(2).withOperator(), findings, new Coverage()).run();
        return findings;
    }

    private static Broken answering(UnaryOperator<Transition> change) {
        return new Broken(SAGA) {
            @Override
            public Transition on(SagaState state, SagaEvent event) {
                return change.apply(super.on(state, event));
            }
        };
    }

    /** Broken only where an operator ends the saga. */
    private static Broken ending(UnaryOperator<Transition> change) {
        return new Broken(SAGA) {
            @Override
            public Transition on(SagaState state, SagaEvent event) {
                Transition t = super.on(state, event);
                return event instanceof SagaEvent.ForceCompleted && !t.facts().isEmpty() ? change.apply(t) : t;
            }
        };
    }

    private static StepState as(StepState s, StepStatus status, @Nullable Duration notBefore) {
        return new StepState(
                status,
                s.failures(),
                s.interruptions(),
                s.takeovers(),
                s.inDoubt(),
                s.undecided(),
                s.awaiting(),
                s.children(),
                s.completed(),
                notBefore,
                s.question());
    }

    private static StepState waitingIfSettled(StepState s) {
        return s.status() == StepStatus.UNKNOWN ? as(s, StepStatus.WAITING, Moves.NOW) : s;
    }

    private static StepState givenUpIfUnknown(StepState s) {
        return s.status() == StepStatus.UNKNOWN ? as(withoutDoubt(s), StepStatus.GIVEN_UP, null) : s;
    }

    private static StepState undoneIfFailed(StepState s) {
        return s.status() == StepStatus.COMPENSATION_FAILED ? as(s, StepStatus.COMPENSATED, null) : s;
    }

    private static SagaState with(SagaState s, SagaStatus status, SagaReason parked) {
        return new SagaState(status, s.turned(), s.pending(), parked, s.deadline(), s.steps());
    }

    /** As if nothing could be stopped that an event of the same write has begun. */
    private static Transition oneByOne(Machine machine, SagaState before, List<SagaEvent> events) {
        SagaState state = before;
        List<Call> calls = new ArrayList<>();
        List<Fact> facts = new ArrayList<>();
        for (SagaEvent event : events) {
            Transition next = machine.on(state, event);
            state = next.state();
            calls.addAll(next.calls());
            facts.addAll(next.facts());
        }
        return new Transition(state, calls, facts, List.of());
    }

    private static Transition withoutItsCall(Transition t) {
        int step = t.calls().get(0).step();
        SagaState s = t.state();
        List<StepState> steps = new ArrayList<>(s.steps());
        boolean action = t.calls().get(0).phase() == Phase.ACTION;
        StepStatus waiting = action ? StepStatus.WAITING : StepStatus.COMPENSATING;
        steps.set(step, as(steps.get(step), waiting, Moves.NOW.plusSeconds(1)));
        SagaState changed = new SagaState(s.status(), s.turned(), s.pending(), s.parked(), s.deadline(), steps);
        return new Transition(changed, List.of(), t.facts(), t.suspects());
    }

    private static SagaEvent rejected(SagaEvent.Failed event) {
        return new SagaEvent.Rejected(event.now(), event.step(), event.phase());
    }

    private static Transition with(Transition t, UnaryOperator<StepState> change) {
        SagaState s = t.state();
        List<StepState> steps = s.steps().stream().map(change).toList();
        SagaState changed = new SagaState(s.status(), s.turned(), s.pending(), s.parked(), s.deadline(), steps);
        return new Transition(changed, t.calls(), t.facts(), t.suspects());
    }

    private static StepState withoutDoubt(StepState s) {
        return new StepState(
                s.status(),
                s.failures(),
                s.interruptions(),
                s.takeovers(),
                false,
                s.undecided(),
                s.awaiting(),
                s.children(),
                s.completed(),
                s.notBefore(),
                s.question());
    }

    private static StepState withoutTakeovers(StepState s) {
        int failures = s.failures() + s.takeovers();
        return new StepState(
                s.status(),
                failures,
                s.interruptions(),
                0,
                s.inDoubt(),
                s.undecided(),
                s.awaiting(),
                s.children(),
                s.completed(),
                s.notBefore(),
                s.question());
    }

    private static Transition withoutPending(Transition t) {
        SagaState s = t.state();
        SagaState changed = new SagaState(s.status(), s.turned(), null, s.parked(), s.deadline(), s.steps());
        return new Transition(changed, t.calls(), t.facts(), t.suspects());
    }
}
