package io.backstep.saga.test.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.Call;
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
    void a_machine_that_cannot_answer_is_found() {
        Broken machine = answering(t -> {
            throw new IllegalStateException("no answer");
        });

        assertThat(found(machine).rules("machine")).isNotEmpty();
    }

    private static Findings found(Machine machine) {
        Findings findings = new Findings();
        new Explorer("ccpr", SAGA, machine, Bounds.faults(2), findings, new Coverage()).run();
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
                s.status(), s.failures(), s.interruptions(), s.takeovers(), false, s.completed(), s.notBefore());
    }

    private static StepState withoutTakeovers(StepState s) {
        int failures = s.failures() + s.takeovers();
        return new StepState(s.status(), failures, s.interruptions(), 0, s.inDoubt(), s.completed(), s.notBefore());
    }

    private static Transition withoutPending(Transition t) {
        SagaState s = t.state();
        SagaState changed = new SagaState(s.status(), s.turned(), null, s.parked(), s.deadline(), s.steps());
        return new Transition(changed, t.calls(), t.facts(), t.suspects());
    }

    /** The real machine, to be broken in one place. */
    private static class Broken implements Machine {
        private final Machine machine;

        Broken(SagaDefinition<?> definition) {
            this.machine = Machine.of(definition);
        }

        @Override
        public Transition start(@Nullable Duration deadline) {
            return machine.start(deadline);
        }

        @Override
        public Transition on(SagaState state, SagaEvent event) {
            return machine.on(state, event);
        }

        @Override
        public @Nullable Duration wakeAt(SagaState state) {
            return machine.wakeAt(state);
        }

        @Override
        public List<Integer> compensationOrder(SagaState state) {
            return machine.compensationOrder(state);
        }
    }
}
