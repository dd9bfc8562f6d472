package io.backstep.saga.state;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.Reachable.Machine;
import io.backstep.saga.state.Reachable.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Machines that are broken in one place, for rules that must find them. */
final class BrokenMachine {
    /** Ends an exploration. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private BrokenMachine() {}

    /** One that takes the place of each that {@code which} finds with something else, without recording that. */
    static Machine seeing(SagaDefinition<?> saga, Predicate<StepState> which, UnaryOperator<StepState> as) {
        SagaMachine real = new SagaMachine(saga);
        return (state, event) -> {
            SagaState seen = with(state, which, as);
            Transition after = real.on(seen, event);
            List<StepState> steps = new ArrayList<>(after.state().steps());
            for (int i = 0; i < steps.size(); i++) {
                if (steps.get(i).equals(seen.steps().get(i))) {
                    steps.set(i, state.steps().get(i));
                }
            }
            return with(after, with(after.state(), steps));
        };
    }

    /** One that hears something else than is told. */
    static Machine hearing(SagaDefinition<?> saga, BiFunction<SagaState, SagaEvent, SagaEvent> heard) {
        SagaMachine real = new SagaMachine(saga);
        return (state, event) -> real.on(state, heard.apply(state, event));
    }

    /** One that says something else than it should. */
    static Machine saying(SagaDefinition<?> saga, Function<Seen, Transition> said) {
        SagaMachine real = new SagaMachine(saga);
        return (state, event) -> said.apply(new Seen(saga, state, event, real.on(state, event)));
    }

    /** Until it is found, or all is seen. */
    static void explore(SagaDefinition<?> saga, Machine broken, Consumer<Seen> rules, BooleanSupplier found) {
        try {
            Reachable.visit(saga, broken, seen -> {
                rules.accept(seen);
                if (found.getAsBoolean()) {
                    throw new Enough();
                }
            });
        } catch (Enough e) {
            return;
        }
    }

    static Transition with(Transition t, SagaState state) {
        return with(t, state, t.calls());
    }

    static Transition with(Transition t, SagaState state, List<Call> calls) {
        return new Transition(state, calls, t.facts(), t.suspects(), t.taken(), t.early());
    }

    static SagaState with(SagaState s, List<StepState> steps) {
        return new SagaState(s.status(), s.turned(), s.pending(), s.parked(), s.deadline(), steps);
    }

    static SagaState with(SagaState s, Predicate<StepState> which, UnaryOperator<StepState> as) {
        return with(
                s,
                s.steps().stream()
                        .map(step -> which.test(step) ? as.apply(step) : step)
                        .toList());
    }

    /** The same step with another question. */
    static StepState asking(StepState s, Question question) {
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
                s.notBefore(),
                question);
    }
}
