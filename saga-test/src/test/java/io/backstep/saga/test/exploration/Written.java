package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.Fact;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.Transition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What one write records so far: its events, told one by one. */
final class Written {
    private final Plan plan;
    private final Move move;
    private final Set<Call> calls = new HashSet<>();
    private final List<Fact> facts = new ArrayList<>();
    private World world;

    Written(Plan plan, Move move) {
        this.plan = plan;
        this.move = move;
        this.world = move.before();
    }

    World world() {
        return world;
    }

    Set<Call> calls() {
        return calls;
    }

    void add(Happening h) {
        if (h.event() instanceof SagaEvent.Withdrawn e) {
            calls.removeIf(call -> call.step() == e.step());
        }
        calls.addAll(h.transition().calls());
        facts.addAll(h.transition().facts());
        world = move.byOperator() ? h.after().with(Owner.OPERATOR) : h.after();
    }

    /** A wish to turn does not wait for a pivot that nobody intended before it, and that certainly did nothing. */
    List<SagaEvent> before(SagaEvent event) {
        boolean wish = move.byOperator() && event instanceof SagaEvent.TurnRequested;
        if (!wish || plan.pivot() < 0 || !world.isUnderWay(plan.pivot()) || pivotIsInTheWay()) {
            return List.of();
        }
        return List.of(new SagaEvent.Withdrawn(
                event.now(), plan.pivot(), world.truth(plan.pivot()).underWay()));
    }

    /** Whether a wish must wait for the pivot. */
    boolean pivotIsInTheWay() {
        if (plan.pivot() < 0) {
            return false;
        }
        boolean lost = move.events().get(0) instanceof SagaEvent.Claimed e && e.takenOver();
        boolean intended = !plan.startsChild(plan.pivot())
                && move.before().isUnderWay(plan.pivot(), Phase.ACTION)
                && move.before().state().status().active()
                && !lost;
        Truth pivot = world.truth(plan.pivot());
        return intended || pivot.effect() == Effect.POSSIBLE || pivot.child() == Child.RUNS;
    }

    /** Once it has turned, or is parked, no action begins. */
    List<SagaEvent> unwanted() {
        List<SagaEvent> events = new ArrayList<>();
        if (world.state().status() != SagaStatus.RUNNING) {
            for (int step : world.underWay()) {
                Phase phase = world.truth(step).underWay();
                if (phase != Phase.COMPENSATION && calls.stream().anyMatch(call -> call.step() == step)) {
                    events.add(new SagaEvent.Withdrawn(Moves.NOW, step, phase));
                }
            }
        }
        if (!events.isEmpty()) {
            events.add(new SagaEvent.TimePassed(Moves.NOW));
        }
        return events;
    }

    /** Nobody has it afterwards. */
    World released() {
        return world.with(world.over() ? Owner.NONE : Owner.RELEASED).withSuspects(List.of());
    }

    boolean equals(Transition other) {
        return other.state().equals(world.state())
                && other.calls().size() == calls.size()
                && calls.containsAll(other.calls())
                && other.facts().equals(facts)
                && (other.suspects().equals(world.suspects()) || world.over());
    }

    @Override
    public String toString() {
        return Shown.text(world) + " " + calls + " " + facts;
    }
}
