package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.SagaReason;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Every state that a saga can reach, with every event that can happen in it. Time stands still at {@link #NOW}, except that it may
 * pass. Nothing is checked here.
 */
final class Reachable {
    static final Duration NOW = Duration.ofSeconds(10);
    static final Duration DEADLINE = Duration.ofMinutes(1);

    private static final Duration RETRY_IS_DUE = NOW.plus(Sagas.DELAY);

    /** One transition. */
    record Seen(SagaDefinition<?> definition, SagaState before, SagaEvent event, Transition after) {}

    /** What follows from an event. */
    interface Machine {
        Transition on(SagaState state, SagaEvent event);
    }

    private final SagaDefinition<?> definition;
    private final Machine machine;
    private final Consumer<Seen> visitor;
    private final Set<SagaState> known = new HashSet<>();
    private final Deque<SagaState> open = new ArrayDeque<>();

    private Reachable(SagaDefinition<?> definition, Machine machine, Consumer<Seen> visitor) {
        this.visitor = visitor;
        this.definition = definition;
        this.machine = machine;
    }

    static void visit(SagaDefinition<?> definition, Consumer<Seen> visitor) {
        visit(definition, new SagaMachine(definition)::on, visitor);
    }

    /** With another machine than the real one. */
    static void visit(SagaDefinition<?> definition, Machine machine, Consumer<Seen> visitor) {
        Reachable all = new Reachable(definition, machine, visitor);
        all.reach(new SagaMachine(definition).start(DEADLINE).state());
        while (!all.open.isEmpty()) {
            SagaState state = all.open.pop();
            all.events(state).forEach(event -> all.see(state, event));
        }
    }

    private void see(SagaState before, SagaEvent event) {
        Transition after = machine.on(before, event);
        visitor.accept(new Seen(definition, before, event, after));
        reach(after.state());
    }

    private void reach(SagaState state) {
        SagaState useful = withoutTheObsolete(state);
        if (known.add(useful)) {
            open.push(useful);
        }
    }

    /** What makes no difference to what can follow: fewer states. */
    private static SagaState withoutTheObsolete(SagaState state) {
        List<StepState> steps =
                state.steps().stream().map(Reachable::withoutTheObsolete).toList();
        return new SagaState(state.status(), state.turned(), state.pending(), state.parked(), state.deadline(), steps);
    }

    /** Interruptions only number the attempts, and the third takeover is like the fourth but further from the limit. */
    private static StepState withoutTheObsolete(StepState step) {
        return switch (step.status()) {
            case EXECUTING, WAITING, COMPENSATING, CONFIRMING ->
                new StepState(
                        step.status(),
                        step.failures(),
                        0,
                        step.takeovers() == 3 ? 4 : step.takeovers(),
                        step.inDoubt(),
                        step.undecided(),
                        step.awaiting(),
                        Math.min(1, step.children()),
                        step.completed(),
                        step.notBefore(),
                        step.question());
            case SUCCEEDED, COMPENSATED, COMPENSATION_FAILED, CONFIRMED ->
                new StepState(
                        step.status(),
                        0,
                        0,
                        0,
                        false,
                        false,
                        step.awaiting(),
                        Math.min(1, step.children()),
                        step.completed(),
                        null,
                        null);
            default -> step.fresh();
        };
    }

    private List<SagaEvent> events(SagaState state) {
        List<SagaEvent> events = new ArrayList<>(List.of(
                new SagaEvent.Claimed(NOW, false),
                new SagaEvent.Claimed(DEADLINE, false),
                new SagaEvent.Claimed(NOW, true),
                new SagaEvent.TimePassed(NOW),
                new SagaEvent.TimePassed(RETRY_IS_DUE),
                new SagaEvent.TimePassed(DEADLINE),
                new SagaEvent.TurnRequested(NOW, SagaReason.CANCELLED),
                new SagaEvent.TurnRequested(NOW, SagaReason.PARENT),
                new SagaEvent.Stuck(NOW, -1, SagaReason.UNREADABLE),
                new SagaEvent.Retried(NOW),
                new SagaEvent.ForceCompleted(NOW)));
        for (int i = 0; i < state.steps().size(); i++) {
            StepState step = state.steps().get(i);
            if (step.underWay()) {
                addEnds(i, step.phase(), startsChild(i) && step.phase() == Phase.ACTION, events);
            } else if (step.notBefore() != null) {
                events.add(new SagaEvent.Admitted(RETRY_IS_DUE, i));
            }
            for (Resolution resolution : Resolution.values()) {
                events.add(new SagaEvent.Resolved(NOW, i, resolution));
            }
            if (startsChild(i)) {
                events.add(new SagaEvent.ChildEnded(NOW, i, false, "m"));
                events.add(new SagaEvent.ChildEnded(NOW, i, true, "m"));
                continue;
            }
            events.add(new SagaEvent.Answered(NOW, i, false, "yes"));
            events.add(new SagaEvent.Answered(NOW, i, true, "no"));
        }
        return events;
    }

    private boolean startsChild(int i) {
        return definition.steps().get(i).child() != null;
    }

    private static void addEnds(int i, Phase phase, boolean starts, List<SagaEvent> events) {
        events.add(starts ? new SagaEvent.Started(NOW, i) : new SagaEvent.Succeeded(NOW, i, phase));
        if (phase == Phase.CONDITION) {
            events.add(new SagaEvent.Skipped(NOW, i));
        }
        if (phase == Phase.PROBE) {
            events.add(new SagaEvent.DidNot(NOW, i));
            events.add(failed(i, phase, Outcome.UNKNOWN, true));
        } else {
            events.add(new SagaEvent.Rejected(NOW, i, phase));
            events.add(failed(i, phase, Outcome.FAILED, true));
            events.add(failed(i, phase, Outcome.FAILED, false));
        }
        events.add(failed(i, phase, Outcome.INTERRUPTED, true));
        events.add(new SagaEvent.Withdrawn(NOW, i, phase));
        events.add(new SagaEvent.Stuck(NOW, i, SagaReason.UNREADABLE));
        if (phase != Phase.CONDITION && !starts) {
            events.add(new SagaEvent.Stuck(NOW, i, SagaReason.RESULT_TOO_LARGE));
        }
    }

    private static SagaEvent failed(int i, Phase phase, Outcome outcome, boolean retryable) {
        return new SagaEvent.Failed(NOW, i, phase, outcome, retryable, NOW, 0);
    }
}
