package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.StepKind;

/** What follows from the end of an attempt of an action, or of its condition. Outside RUNNING it only settles the step: nothing goes forward. */
final class Actions {
    private final Draft draft;
    private final Plan plan;
    private final Turning turning;

    Actions(Draft draft, Turning turning) {
        this.draft = draft;
        this.plan = draft.plan();
        this.turning = turning;
    }

    void succeeded(int i) {
        draft.ended(i, Outcome.SUCCEEDED);
        draft.complete(i);
    }

    /** The step is run, by the same write if it still can. */
    void allowed(int i) {
        draft.ended(i, Outcome.SUCCEEDED);
        draft.set(i, draft.step(i).decided(StepStatus.PENDING));
    }

    void skipped(int i) {
        draft.ended(i, Outcome.SKIPPED);
        draft.set(i, draft.step(i).decided(StepStatus.SKIPPED));
    }

    void rejected(int i) {
        draft.ended(i, Outcome.REJECTED);
        boolean definite = !draft.step(i).inDoubt();
        draft.set(i, draft.step(i).as(afterRejection(i, definite)));
        followRejection(i, definite);
    }

    private StepStatus afterRejection(int i, boolean definite) {
        if (plan.is(i, StepKind.BEST_EFFORT) && !draft.compensating()) {
            return StepStatus.GIVEN_UP;
        }
        return definite || plan.is(i, StepKind.RETRIABLE) ? StepStatus.REJECTED : StepStatus.UNKNOWN;
    }

    private void followRejection(int i, boolean definite) {
        switch (plan.step(i).kind()) {
            case BEST_EFFORT -> {}
            case RETRIABLE -> draft.park(SagaReason.RETRIABLE_REJECTED);
            case PIVOT -> {
                if (definite) {
                    turning.request(SagaReason.REJECTED);
                } else {
                    draft.park(SagaReason.PIVOT_UNKNOWN);
                }
            }
            case COMPENSATABLE -> turning.request(SagaReason.REJECTED);
        }
    }

    void failed(SagaEvent.Failed event) {
        int i = event.step();
        draft.ended(i, event.outcome());
        boolean mayBeDone = draft.mayTakeEffectUnseen(i) || event.outcome() == Outcome.ESCAPED;
        draft.set(i, draft.step(i).counting(event.outcome()).doubted(mayBeDone));
        Retry retry = plan.step(i).retry();
        if (!draft.running()) {
            draft.settle(i);
        } else if (event.mayRepeat(retry, draft.step(i))) {
            draft.set(i, draft.step(i).waiting(StepStatus.WAITING, event.next(retry, draft.step(i))));
        } else {
            spent(i);
        }
    }

    private void spent(int i) {
        draft.settle(i);
        switch (plan.step(i).kind()) {
            case BEST_EFFORT -> draft.set(i, draft.step(i).as(StepStatus.GIVEN_UP));
            case RETRIABLE -> draft.park(SagaReason.RETRIABLE_EXHAUSTED);
            case PIVOT -> {
                if (draft.step(i).inDoubt()) {
                    draft.park(SagaReason.PIVOT_UNKNOWN);
                } else {
                    turning.request(SagaReason.ATTEMPTS_EXHAUSTED);
                }
            }
            case COMPENSATABLE -> turning.request(SagaReason.ATTEMPTS_EXHAUSTED);
        }
    }
}
