package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;

/** A name for each kind of event. */
final class EventLabel {
    private static final int WHOLE_SAGA = -1;

    private EventLabel() {}

    /** As a step sees it. */
    static String of(SagaEvent event, int step) {
        int about = stepOf(event);
        return about == WHOLE_SAGA || about == step ? of(event) : "event of another step";
    }

    static String of(SagaEvent event) {
        return event.getClass().getSimpleName() + detail(event);
    }

    static boolean endsAnAttempt(SagaEvent event) {
        return event instanceof SagaEvent.Succeeded
                || event instanceof SagaEvent.Skipped
                || event instanceof SagaEvent.DidNot
                || event instanceof SagaEvent.Rejected
                || event instanceof SagaEvent.Failed;
    }

    private static String detail(SagaEvent event) {
        if (event instanceof SagaEvent.Claimed claimed && claimed.takenOver()) {
            return " (taken over)";
        }
        if (event instanceof SagaEvent.Failed failed && failed.outcome() == Outcome.INTERRUPTED) {
            return " (interrupted)";
        }
        if (event instanceof SagaEvent.Failed failed && failed.phase() == Phase.PROBE) {
            return " (probe)";
        }
        if (event instanceof SagaEvent.Succeeded end && end.phase() == Phase.PROBE) {
            return " (probe)";
        }
        if (event instanceof SagaEvent.Succeeded end && end.phase() == Phase.CONDITION) {
            return " (condition)";
        }
        if (event instanceof SagaEvent.Answered answer && answer.rejected()) {
            return " (rejected)";
        }
        if (event instanceof SagaEvent.ChildEnded end && end.undone()) {
            return " (undone)";
        }
        if (event instanceof SagaEvent.TurnRequested wish && wish.reason() == SagaReason.PARENT) {
            return " (by the parent)";
        }
        if (event instanceof SagaEvent.Resolved told) {
            return " (" + told.resolution() + ")";
        }
        boolean tooLarge = event instanceof SagaEvent.Stuck stuck && stuck.reason() == SagaReason.RESULT_TOO_LARGE;
        return tooLarge ? " (result too large)" : "";
    }

    static int stepOf(SagaEvent event) {
        if (event instanceof SagaEvent.Succeeded end) {
            return end.step();
        } else if (event instanceof SagaEvent.Skipped end) {
            return end.step();
        } else if (event instanceof SagaEvent.DidNot end) {
            return end.step();
        } else if (event instanceof SagaEvent.Rejected end) {
            return end.step();
        } else if (event instanceof SagaEvent.Failed end) {
            return end.step();
        } else if (event instanceof SagaEvent.Answered answer) {
            return answer.step();
        } else if (event instanceof SagaEvent.Started start) {
            return start.step();
        } else if (event instanceof SagaEvent.ChildEnded end) {
            return end.step();
        } else if (event instanceof SagaEvent.Withdrawn end) {
            return end.step();
        } else if (event instanceof SagaEvent.Resolved told) {
            return told.step();
        } else if (event instanceof SagaEvent.Admitted suspect) {
            return suspect.step();
        }
        return event instanceof SagaEvent.Stuck stuck ? stuck.step() : WHOLE_SAGA;
    }
}
