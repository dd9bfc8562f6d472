package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.SagaEvent;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** When a saga parks, must park, and how it goes on. */
final class ParkRules {
    static final int TAKEOVER_LIMIT = 5;

    private ParkRules() {}

    static void check(Happening h, Findings out) {
        if (h.was().status().active()) {
            SagaReason first = reason(h);
            SagaReason parks = first == null ? reasonOfWait(h) : first;
            if (parks != null) {
                out.expect(h.is().parked() == parks, "parking: it parks when it must, and says why: " + parks);
            } else {
                parksByItself(h, out);
            }
        }
        if (h.is().status() == SagaStatus.FAILED) {
            out.expect(h.before().underWay().containsAll(h.after().underWay()), "parking: a parked saga calls nothing");
            out.expect(h.transition().suspects().isEmpty(), "parking: nothing waits to be admitted");
        }
        if (h.event() instanceof SagaEvent.Retried) {
            retried(h, out);
        }
    }

    /** Why it must park now, or null; but for compensations. */
    private static @Nullable SagaReason reason(Happening h) {
        if (h.event() instanceof SagaEvent.Stuck e) {
            return goesOn(h, e) ? null : e.reason();
        }
        if (h.event() instanceof SagaEvent.Claimed) {
            return reachesTheLimit(h) ? SagaReason.TAKEOVER_LIMIT : null;
        }
        int step = h.endedAction();
        if (step < 0 || !h.rejects() && !h.spends() || h.was().turned() != null) {
            return null;
        }
        if (h.plan().kind(step) == StepKind.RETRIABLE) {
            return h.rejects() ? SagaReason.RETRIABLE_REJECTED : SagaReason.RETRIABLE_EXHAUSTED;
        }
        boolean unknown = h.settled().truth(step).effect() == Effect.POSSIBLE;
        return h.plan().kind(step) == StepKind.PIVOT && unknown ? SagaReason.PIVOT_UNKNOWN : null;
    }

    /** After the pivot nothing turns for a wait. */
    private static @Nullable SagaReason reasonOfWait(Happening h) {
        boolean refused = h.takesAnswer()
                && h.refuses()
                && h.plan().kind(((SagaEvent.Answered) h.event()).step()) == StepKind.RETRIABLE;
        int child = h.refusedByChild();
        if (refused || child >= 0 && h.plan().kind(child) == StepKind.RETRIABLE) {
            return SagaReason.RETRIABLE_REJECTED;
        }
        boolean silent =
                h.plan().steps().anyMatch(step -> h.isSilent(step) && h.plan().kind(step) == StepKind.RETRIABLE);
        return silent ? SagaReason.WAIT_TIMEOUT : null;
    }

    /** Only a result is missing: nobody waits for that of a best-effort step, and a saga that has turned undoes without it. */
    private static boolean goesOn(Happening h, SagaEvent.Stuck event) {
        return event.reason() == SagaReason.RESULT_TOO_LARGE
                && (h.plan().bestEffort(event.step()) || h.was().turned() != null);
    }

    private static boolean reachesTheLimit(Happening h) {
        return h.before().underWay().stream()
                .filter(step -> h.was().turned() == null && !h.plan().bestEffort(step))
                .anyMatch(step -> h.settled().truth(step).takeovers() >= TAKEOVER_LIMIT);
    }

    private static void parksByItself(Happening h, Findings out) {
        SagaReason parked = h.is().parked();
        if (parked == null) {
            return;
        }
        out.expect(parked == SagaReason.COMPENSATION_EXHAUSTED, "parking: it parks for a reason that is true");
        Set<StepStatus> statuses = EnumSet.noneOf(StepStatus.class);
        h.is().steps().forEach(step -> statuses.add(step.status()));
        out.expect(statuses.contains(StepStatus.COMPENSATION_FAILED), "parking: a compensation is spent");
        boolean left = h.plan()
                .steps()
                .anyMatch(
                        step -> OrderRules.mustUndo(h, step) && h.is(step).status() != StepStatus.COMPENSATION_FAILED);
        out.expect(h.plan().strict() || !left, "parking: the remaining compensations still run");
    }

    private static void retried(Happening h, Findings out) {
        out.expect(h.is().status() != SagaStatus.FAILED, "retry: it gets it moving");
        out.expect(
                h.is().turned() == h.was().turned()
                        || h.is().turned() == h.was().pending(),
                "retry: it goes on in the direction it had, or as was pending");
        out.expect(h.is().deadline() == null, "retry: the deadline is lifted");
    }
}
