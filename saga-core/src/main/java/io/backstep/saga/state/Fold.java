package io.backstep.saga.state;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What several events come to that one write records. Nothing is called before it: what one event begins, a later one can still stop. */
final class Fold {
    private final Plan plan;
    private final SagaMachine machine;
    private final SagaState before;
    private final List<Call> calls = new ArrayList<>();
    private final List<Fact> facts = new ArrayList<>();
    private SagaState state;
    private List<Integer> suspects = List.of();

    Fold(Plan plan, SagaMachine machine, SagaState before) {
        this.plan = plan;
        this.machine = machine;
        this.before = before;
        this.state = before;
    }

    Transition of(List<SagaEvent> events, boolean nothingBegins) {
        for (SagaEvent event : events) {
            if (event instanceof SagaEvent.TurnRequested || isLate(event)) {
                calls.stream().filter(this::isNewPivot).toList().forEach(pivot -> withdraw(pivot, event.now()));
            }
            apply(event);
        }
        settle(nothingBegins, events.get(events.size() - 1).now());
        return new Transition(state, calls, facts, nothingBegins ? List.of() : suspects);
    }

    private void apply(SagaEvent event) {
        Transition next = machine.on(state, event);
        state = next.state();
        calls.addAll(next.calls());
        facts.addAll(next.facts());
        suspects = next.suspects();
    }

    /** Events may have waited for their write: what an earlier one would begin comes after the deadline then. */
    private boolean isLate(SagaEvent event) {
        return state.deadline() != null && event.now().compareTo(state.deadline()) >= 0;
    }

    /** A wish, or the deadline, waits only for a pivot that was intended before, or may have taken effect. */
    private boolean isNewPivot(Call call) {
        if (call.step() != plan.pivot() || state.steps().get(call.step()).inDoubt()) {
            return false;
        }
        StepState recorded = before.steps().get(call.step());
        boolean same = recorded.phase() == call.phase() && recorded.attempt() == call.attempt();
        return !(before.status().active() && recorded.underWay() && same);
    }

    /** No action may begin once the saga has turned, and nothing at all when the node stops. */
    private void settle(boolean nothingBegins, Duration now) {
        List<Call> unwanted = calls.stream()
                .filter(call ->
                        nothingBegins || (state.status() != SagaStatus.RUNNING && call.phase() != Phase.COMPENSATION))
                .toList();
        unwanted.forEach(call -> withdraw(call, now));
        if (!unwanted.isEmpty() && !nothingBegins) {
            apply(new SagaEvent.TimePassed(now));
        }
    }

    private void withdraw(Call call, Duration now) {
        calls.remove(call);
        apply(new SagaEvent.Withdrawn(now, call.step(), call.phase()));
    }
}
