package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.definition.StepKind;
import java.time.Duration;

/** How steps that wait come to their end: what they wait for is there, or their time is up. */
final class Waits {
    private final Draft draft;
    private final Plan plan;
    private final Turning turning;
    private final Actions actions;
    private final Compensations compensations;

    Waits(Draft draft, Turning turning, Actions actions, Compensations compensations) {
        this.draft = draft;
        this.plan = draft.plan();
        this.turning = turning;
        this.actions = actions;
        this.compensations = compensations;
    }

    /** False when nobody waits for it. */
    boolean answered(SagaEvent.Answered answer) {
        if (draft.compensating() && compensations.isUnsettled(answer.step())) {
            settled(answer);
            return true;
        }
        boolean waits = draft.running() && draft.step(answer.step()).awaiting();
        if (waits && answer.rejected()) {
            actions.rejected(answer.step());
        } else if (waits) {
            actions.succeeded(answer.step());
        }
        return waits;
    }

    private void settled(SagaEvent.Answered answer) {
        if (answer.rejected()) {
            compensations.unsettled(answer.step(), Outcome.REJECTED);
        } else {
            compensations.settled(answer.step());
        }
    }

    /** Before anything else may begin. */
    void end(Duration now) {
        plan.indices()
                .filter(i -> draft.running()
                        && draft.step(i).awaiting()
                        && draft.step(i).due(now))
                .forEach(this::timeIsUp);
        plan.indices()
                .filter(i -> draft.compensating()
                        && compensations.isUnsettled(i)
                        && draft.step(i).due(now))
                .forEach(i -> compensations.unsettled(i, Outcome.TIMED_OUT));
    }

    private void timeIsUp(int i) {
        if (plan.delays(i)) {
            actions.succeeded(i);
            return;
        }
        draft.ended(i, Outcome.TIMED_OUT);
        draft.set(i, draft.step(i).counting(Outcome.TIMED_OUT));
        draft.settle(i);
        if (plan.is(i, StepKind.RETRIABLE)) {
            draft.park(SagaReason.WAIT_TIMEOUT);
        } else {
            turning.request(SagaReason.UNANSWERED);
        }
    }
}
