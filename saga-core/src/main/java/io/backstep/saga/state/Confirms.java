package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import java.time.Duration;

/** What follows from the decision for a try, and from the end of an attempt to confirm it. Nothing is ever undone from there. */
final class Confirms {
    private final Draft draft;
    private final Plan plan;

    Confirms(Draft draft) {
        this.draft = draft;
        this.plan = draft.plan();
    }

    /** Whether its try is recorded, and its confirm is not. */
    boolean owed(int i) {
        return draft.is(i, StepStatus.CONFIRMING) || (plan.isTcc(i) && draft.is(i, StepStatus.SUCCEEDED));
    }

    void begin(int i) {
        draft.set(i, draft.step(i).fresh().as(StepStatus.CONFIRMING));
        draft.call(i);
    }

    void succeeded(int i) {
        draft.ended(i, Outcome.SUCCEEDED);
        draft.set(i, draft.step(i).as(StepStatus.CONFIRMED));
    }

    void rejected(int i) {
        draft.ended(i, Outcome.REJECTED);
        draft.set(i, draft.step(i).counting(Outcome.REJECTED));
        park(i, SagaReason.RETRIABLE_REJECTED);
    }

    void failed(SagaEvent.Failed event) {
        int i = event.step();
        draft.ended(i, event.outcome());
        draft.set(i, draft.step(i).counting(event.outcome()));
        Retry retry = plan.step(i).retry(Phase.CONFIRM);
        if (event.mayRepeat(retry, draft.step(i))) {
            tryAt(i, event.next(retry, draft.step(i)));
        } else {
            park(i, SagaReason.RETRIABLE_EXHAUSTED);
        }
    }

    /** Its node was lost, once too often or not. */
    void lost(int i, boolean limit) {
        if (limit) {
            park(i, SagaReason.TAKEOVER_LIMIT);
        } else {
            tryAt(i, draft.now());
        }
    }

    /** It stays to be confirmed: an operator's retry goes on with that. */
    private void park(int i, SagaReason reason) {
        tryAt(i, draft.now());
        draft.park(reason);
    }

    void tryAt(int i, Duration time) {
        draft.set(i, draft.step(i).waiting(StepStatus.CONFIRMING, time));
    }
}
