package io.backstep.saga.test.exploration;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.state.SagaEvent;
import java.util.Set;
import java.util.TreeSet;

/** Which kinds of transition were visited. */
final class Coverage {
    private final Set<String> steps = new TreeSet<>();
    private final Set<String> sagas = new TreeSet<>();

    void visited(Happening h) {
        String event = name(h.event());
        if (h.was().status() != h.is().status()) {
            sagas.add(h.was().status() + " -> " + h.is().status() + " on " + event);
        }
        h.plan()
                .steps()
                .filter(step -> h.was(step).status() != h.is(step).status())
                .forEach(step -> {
                    String own = h.isAbout(step) ? event : event + " of another";
                    steps.add(h.was(step).status() + " -> " + h.is(step).status() + " on " + own);
                });
    }

    Set<String> steps() {
        return steps;
    }

    Set<String> sagas() {
        return sagas;
    }

    private static String name(SagaEvent event) {
        if (event instanceof SagaEvent.Claimed e) {
            return e.takenOver() ? "takeover" : "claim";
        }
        if (event instanceof SagaEvent.Succeeded e && e.phase() == Phase.CONDITION) {
            return "Allowed";
        }
        if (event instanceof SagaEvent.Failed e) {
            return e.outcome() == Outcome.INTERRUPTED ? "INTERRUPTED" : "Failed";
        }
        if (event instanceof SagaEvent.Answered e && e.rejected()) {
            return "Refused";
        }
        if (event instanceof SagaEvent.ChildEnded e && e.undone()) {
            return "ChildUndone";
        }
        if (event instanceof SagaEvent.TurnRequested e && e.reason() == SagaReason.PARENT) {
            return "PARENT";
        }
        return event.getClass().getSimpleName();
    }
}
