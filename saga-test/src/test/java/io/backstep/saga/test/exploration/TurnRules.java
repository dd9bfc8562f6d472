package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** When a saga turns, must turn, and must not. */
final class TurnRules {
    private TurnRules() {}

    static void check(Happening h, Findings out) {
        if (h.was().turned() == null && h.is().turned() != null) {
            mayTurn(h, out);
        }
        if (h.was().turned() == null && h.was().status() == SagaStatus.RUNNING) {
            mustTurn(h, out);
        }
        if (h.was().turned() != null && h.event() instanceof SagaEvent.TurnRequested) {
            out.expect(h.is().equals(h.was()), "turning: asking again changes nothing");
        }
        pending(h, out);
    }

    private static void mayTurn(Happening h, Findings out) {
        out.expect(
                !h.plan().decided(h.was()) || h.isTakenBack(),
                "turning: nothing turns once it is decided, but for its parent");
        out.expect(!pivotMayBeThere(h), "turning: a pivot that may have taken effect never turns");
        out.expect(reasons(h).contains(h.is().turned()), "turning: the reason is true");
    }

    private static boolean pivotMayBeThere(Happening h) {
        int pivot = h.plan().pivot();
        return pivot >= 0 && h.plan().mayTakeEffect(h.settled(), pivot);
    }

    /** Everything that may be given as the reason. */
    private static Set<SagaReason> reasons(Happening h) {
        Set<SagaReason> reasons = forcing(h);
        if (h.was().pending() != null) {
            reasons.add(h.was().pending());
        }
        if (late(h)) {
            reasons.add(SagaReason.DEADLINE_EXCEEDED);
        }
        return reasons;
    }

    /** What turns it now, unless it is decided or the pivot may have taken effect. */
    private static Set<SagaReason> forcing(Happening h) {
        Set<SagaReason> reasons = EnumSet.noneOf(SagaReason.class);
        if (h.event() instanceof SagaEvent.TurnRequested e) {
            reasons.add(e.reason());
        }
        if (late(h) && h.event() instanceof SagaEvent.TimePassed) {
            reasons.add(SagaReason.DEADLINE_EXCEEDED);
        }
        if (h.takesAnswer() && h.refuses() && undoable(h, ((SagaEvent.Answered) h.event()).step())) {
            reasons.add(SagaReason.REJECTED);
        }
        if (h.plan().steps().anyMatch(step -> h.isSilent(step) && undoable(h, step))) {
            reasons.add(SagaReason.UNANSWERED);
        }
        int refused = h.refusedByChild();
        if (refused >= 0 && h.plan().kind(refused) != StepKind.RETRIABLE) {
            reasons.add(SagaReason.REJECTED);
        }
        int step = h.endedAction();
        boolean matters = step >= 0
                && (h.plan().kind(step) == StepKind.COMPENSATABLE || h.plan().kind(step) == StepKind.PIVOT);
        if (matters && h.rejects()) {
            reasons.add(SagaReason.REJECTED);
        }
        if (matters && h.spends()) {
            reasons.add(SagaReason.ATTEMPTS_EXHAUSTED);
        }
        return reasons;
    }

    private static boolean undoable(Happening h, int step) {
        return h.plan().kind(step) == StepKind.COMPENSATABLE;
    }

    private static boolean late(Happening h) {
        Duration deadline = h.was().deadline();
        return deadline != null && deadline.compareTo(h.now()) <= 0;
    }

    private static void mustTurn(Happening h, Findings out) {
        Set<SagaReason> forcing = forcing(h);
        boolean asked = forcing.contains(SagaReason.CANCELLED)
                || forcing.contains(SagaReason.OPERATOR)
                || forcing.contains(SagaReason.DEADLINE_EXCEEDED);
        if (h.plan().decided(h.was())) {
            out.expect(h.is().turned() == null && h.is().pending() == null, "turning: void once it is decided");
        } else if (pivotMayBeThere(h)) {
            out.expect(!asked || h.is().pending() != null, "turning: it is pending while the pivot may take effect");
        } else if (!forcing.isEmpty()) {
            boolean waits =
                    asked && h.plan().pivot() >= 0 && h.was(h.plan().pivot()).failures() > 0;
            out.expect(h.is().turned() != null || waits && h.is().pending() != null, "turning: it turns when it must");
        } else if (pivotHadNoEffect(h)) {
            boolean parks = h.is().parked() == SagaReason.TAKEOVER_LIMIT;
            out.expect(parks || h.is().turned() == h.was().pending(), "turning: what was pending turns it after all");
        }
    }

    /** Whether the pivot's attempt has just ended, surely without effect, while something was pending. */
    private static boolean pivotHadNoEffect(Happening h) {
        int pivot = h.plan().pivot();
        boolean ended = pivot >= 0
                && h.plan().mayTakeEffect(h.before(), pivot)
                && !h.plan().mayTakeEffect(h.settled(), pivot)
                && !h.plan().decided(h.is());
        boolean calledNow = h.event() instanceof SagaEvent.Claimed e && !e.takenOver();
        boolean restsNow = h.event() instanceof SagaEvent.Stuck || h.event() instanceof SagaEvent.Withdrawn;
        boolean endsNow = h.event() instanceof SagaEvent.ForceCompleted;
        return h.was().pending() != null && ended && !calledNow && !restsNow && !endsNow;
    }

    private static void pending(Happening h, Findings out) {
        SagaState is = h.is();
        if (is.pending() != null) {
            out.expect(!h.plan().decided(is), "turning: void once the pivot is recorded");
            out.expect(h.plan().pivot() >= 0, "turning: nothing is pending without a pivot");
        }
        boolean dropped = h.was().pending() != null && is.pending() == null && is.turned() == null;
        boolean lifted = h.event() instanceof SagaEvent.Retried || h.event() instanceof SagaEvent.ForceCompleted;
        out.expect(!dropped || lifted || h.plan().decided(is), "turning: what is pending is not forgotten");
    }
}
