package io.backstep.saga.state;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;

/** Begins whatever can begin now, and ends the saga when nothing is left. */
final class Advance {
    private final Draft draft;
    private final Plan plan;
    private final Turning turning;
    private final Waits waits;
    private final Compensations compensations;
    private final Confirms confirms;
    private final Duration now;
    private final Duration from;
    private final int admitted;

    /**
     * Makes one for one event.
     *
     * @param now for what is due: never after the real time
     * @param from for what begins to wait: never before the real time
     * @param admitted the suspect that may run, or -1
     */
    Advance(
            Draft draft,
            Turning turning,
            Waits waits,
            Compensations compensations,
            Confirms confirms,
            Duration now,
            Duration from,
            int admitted) {
        this.draft = draft;
        this.plan = draft.plan();
        this.turning = turning;
        this.waits = waits;
        this.compensations = compensations;
        this.confirms = confirms;
        this.now = now;
        this.from = from;
        this.admitted = admitted;
    }

    void run() {
        waits.end(now);
        if (draft.running()) {
            forward();
        }
        // Not "else": going forward may have turned it.
        if (draft.compensating()) {
            backward();
        }
    }

    private void forward() {
        if (plan.indices().allMatch(i -> draft.done(i) && !confirms.owed(i))) {
            draft.end(SagaStatus.COMPLETED);
            return;
        }
        turning.check(now);
        if (draft.running()) {
            boolean decided = turning.decided();
            plan.indices().filter(i -> ready(i, decided)).forEach(this::begin);
        }
    }

    private boolean ready(int i, boolean decided) {
        StepState step = draft.step(i);
        if (decided && awaitsConfirm(i)) {
            return false;
        }
        boolean due = switch (step.status()) {
            case PENDING -> step.notBefore() == null || step.due(now);
            case WAITING -> !step.awaiting() && step.due(now);
            case SUCCEEDED -> decided && confirms.owed(i);
            case CONFIRMING -> step.due(now);
            default -> false;
        };
        return due && plan.waitsFor(i).stream().allMatch(draft::done);
    }

    /** Once the saga is decided a try is not over before it is confirmed, for those that wait for it and have not begun. */
    private boolean awaitsConfirm(int i) {
        return draft.is(i, StepStatus.PENDING) && plan.waitsFor(i).stream().anyMatch(confirms::owed);
    }

    /** One at a time, and only when every action has come to its end, and nobody is asked any more what came of one; so has every child. */
    private void backward() {
        plan.indices()
                .filter(i -> draft.is(i, StepStatus.WAITING) && draft.step(i).due(now))
                .forEach(this::begin);
        if (draft.any(StepStatus.EXECUTING) || draft.any(StepStatus.WAITING)) {
            return;
        }
        if (draft.any(StepStatus.COMPENSATING)) {
            plan.indices()
                    .filter(i -> draft.is(i, StepStatus.COMPENSATING)
                            && draft.step(i).due(now))
                    .forEach(this::begin);
            return;
        }
        int next = compensations.next();
        if (next >= 0) {
            undo(next);
        } else {
            endBackward();
        }
    }

    private void undo(int i) {
        StepState step = draft.step(i).fresh();
        if (plan.undoneByChild(i)) {
            draft.set(i, step.awaitingUndo(null));
        } else {
            draft.set(i, step.as(StepStatus.COMPENSATING));
            draft.call(i);
        }
    }

    private void begin(int i) {
        StepState step = draft.step(i);
        if (step.status() == StepStatus.SUCCEEDED) {
            confirms.begin(i);
            return;
        }
        if (step.takeovers() >= Plan.SUSPECT_TAKEOVERS && i != admitted) {
            draft.suspect(i);
            return;
        }
        if (plan.waits(i) && step.phase() == Phase.ACTION) {
            draft.await(i, from);
            return;
        }
        draft.set(i, step.as(step.behind() ? step.status() : StepStatus.EXECUTING));
        draft.call(i);
    }

    private void endBackward() {
        if (draft.any(StepStatus.COMPENSATION_FAILED)) {
            draft.park(SagaReason.COMPENSATION_EXHAUSTED);
            return;
        }
        plan.indices()
                .filter(plan::needsNoCompensation)
                .filter(compensations::mayHaveTakenEffect)
                .forEach(draft::skipCompensation);
        draft.end(SagaStatus.COMPENSATED);
    }
}
