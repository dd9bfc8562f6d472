package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import java.time.Duration;

/** What follows from the start and the end of a child, and from the wish of a parent. */
final class Children {
    private final Draft draft;
    private final Turning turning;
    private final Waits waits;
    private final Actions actions;
    private final Compensations compensations;
    private final Handover handover;

    Children(
            Draft draft,
            Turning turning,
            Waits waits,
            Actions actions,
            Compensations compensations,
            Handover handover) {
        this.draft = draft;
        this.turning = turning;
        this.waits = waits;
        this.actions = actions;
        this.compensations = compensations;
        this.handover = handover;
    }

    /** Its child is there with the write of this; but a wish to turn, the deadline, or a wait that is up comes first. */
    void started(int i, Duration now) {
        turning.check(now);
        waits.end(now);
        if (draft.running()) {
            draft.ended(i, Outcome.STARTED);
            draft.set(i, draft.step(i).awaitingChild());
        } else {
            handover.withdraw(i, now);
        }
    }

    /** False when nobody waits for that. */
    boolean ended(SagaEvent.ChildEnded end) {
        int i = end.step();
        boolean undoing = draft.is(i, StepStatus.COMPENSATING);
        if (!draft.active() || !draft.step(i).awaiting() || (undoing && !end.undone())) {
            return false;
        }
        if (undoing) {
            compensations.succeeded(i, end.now());
        } else if (end.undone()) {
            actions.rejected(i);
        } else {
            actions.succeeded(i);
        }
        return true;
    }

    /** Turns a saga that has completed for a parent which is to be undone; unless it had a pivot, or was confirmed. */
    boolean undone(SagaReason reason) {
        boolean possible = draft.completed()
                && reason == SagaReason.PARENT
                && !draft.plan().staysCompleted();
        if (possible) {
            draft.turn(reason);
        }
        return possible;
    }
}
