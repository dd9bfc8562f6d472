package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.Transition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells the machine of a move, event by event, and has each answer checked. */
final class Telling {
    private final String name;
    private final Plan plan;
    private final Machine machine;
    private final Findings findings;
    private final Coverage coverage;
    private final Set<SagaState> ended = new HashSet<>();

    Telling(String name, Plan plan, Machine machine, Findings findings, Coverage coverage) {
        this.name = name;
        this.plan = plan;
        this.machine = machine;
        this.findings = findings;
        this.coverage = coverage;
    }

    /** The world after it, or null when a rule is broken. */
    @Nullable
    World tell(Move move, Supplier<String> way) {
        Written written = new Written(plan, move);
        Deque<SagaEvent> open = new ArrayDeque<>(move.events());
        boolean settled = !move.byOperator();
        while (!open.isEmpty()) {
            SagaEvent event = open.remove();
            List<SagaEvent> first = written.before(event);
            for (SagaEvent one : first) {
                if (!told(written, one, move, way)) {
                    return null;
                }
            }
            if (!told(written, event, move, way)) {
                return null;
            }
            if (open.isEmpty() && !settled) {
                settled = true;
                open.addAll(written.unwanted());
            }
        }
        return move.byOperator() ? byOperator(written, move, way) : written.world();
    }

    private boolean told(Written written, SagaEvent event, Move move, Supplier<String> way) {
        Transition transition;
        try {
            transition = machine.on(written.world().state(), event);
        } catch (RuntimeException e) {
            findings.expect(false, "machine: it answers every event, but: " + e);
            findings.file(name, () -> way.get() + "\n-> " + move);
            return false;
        }
        Happening happening = Happening.of(plan, written.world(), event, transition);
        Oracle.check(happening, machine, findings);
        endIsFinal(happening.is());
        if (findings.file(
                name, () -> way.get() + "\n-> " + move + "\n   on " + event + "\n   " + Shown.text(transition))) {
            return false;
        }
        coverage.visited(happening);
        written.add(happening);
        return true;
    }

    private @Nullable World byOperator(Written written, Move move, Supplier<String> way) {
        Transition atOnce = machine.on(move.before().state(), move.events());
        findings.expect(written.equals(atOnce), "write: a write records what its events come to one by one");
        OperatorRules.check(plan, move, written, findings);
        if (findings.file(
                name, () -> way.get() + "\n-> " + move + "\n   " + Shown.text(atOnce) + "\n   one by one " + written)) {
            return null;
        }
        return written.released();
    }

    /** Whatever is told of a saga that has ended changes nothing. */
    private void endIsFinal(SagaState state) {
        if (!state.status().ended() || !ended.add(state)) {
            return;
        }
        List<SagaEvent> events = new ArrayList<>(List.of(
                new SagaEvent.Claimed(Moves.NOW, false),
                new SagaEvent.Claimed(Moves.NOW, true),
                new SagaEvent.TimePassed(Moves.FAR),
                new SagaEvent.Admitted(Moves.NOW, 0),
                new SagaEvent.Answered(Moves.NOW, 0, false, "late"),
                new SagaEvent.TurnRequested(Moves.NOW, SagaReason.CANCELLED),
                new SagaEvent.Stuck(Moves.NOW, -1, SagaReason.OPERATOR),
                new SagaEvent.Retried(Moves.NOW),
                new SagaEvent.ChildEnded(Moves.NOW, 0, false, "late"),
                new SagaEvent.ChildEnded(Moves.NOW, 0, true, "late"),
                new SagaEvent.ForceCompleted(Moves.NOW)));
        if (state.status() != SagaStatus.COMPLETED || plan.pivot() >= 0) {
            events.add(new SagaEvent.TurnRequested(Moves.NOW, SagaReason.PARENT));
        }
        for (SagaEvent event : events) {
            Transition after = machine.on(state, event);
            boolean nothing = after.calls().isEmpty()
                    && after.facts().isEmpty()
                    && after.suspects().isEmpty();
            findings.expect(nothing && after.state().equals(state), "final: what has ended stays as it is");
        }
    }
}
