package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.Question.Cause;
import java.time.Duration;
import java.util.Objects;

/**
 * What follows from the end of an attempt of an action, of its condition, or of its probe. Outside RUNNING it only settles the step: nothing
 * goes forward.
 */
final class Actions {
    private final Draft draft;
    private final Plan plan;
    private final Turning turning;
    private final Doubts doubts;

    Actions(Draft draft, Turning turning, Doubts doubts) {
        this.draft = draft;
        this.plan = draft.plan();
        this.turning = turning;
        this.doubts = doubts;
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
        if (plan.step(i).rejectionIsDefinite()) {
            draft.set(i, draft.step(i).withoutDoubt());
        }
        if (doubts.asks(i)) {
            doubts.ask(i, Cause.REJECTED);
            doubts.settle(i);
        } else {
            settleRejection(i);
        }
    }

    /** Nothing of it took effect, and nobody need be asked. */
    void rejectedForCertain(int i) {
        draft.set(i, draft.step(i).withoutDoubt());
        settleRejection(i);
    }

    private void settleRejection(int i) {
        boolean definite = !draft.step(i).inDoubt();
        draft.set(i, draft.step(i).asking(null).as(afterRejection(i, definite)));
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
        boolean asks = doubts.asks(i);
        if (!draft.running()) {
            doubts.settle(i);
        } else if (event.mayRepeat(retry, draft.step(i)) && !doubts.stands(i)) {
            draft.set(i, draft.step(i).waiting(StepStatus.WAITING, event.next(retry, draft.step(i))));
            if (asks) {
                doubts.ask(i, Cause.RETRY);
            }
        } else if (asks) {
            doubts.settle(i);
        } else {
            spent(i);
        }
    }

    /** The probe knows that nothing took effect. */
    void didNot(int i) {
        Question question = question(i);
        draft.ended(i, Outcome.DID_NOT);
        draft.set(i, draft.step(i).withoutDoubt());
        if (draft.running() && question.cause() == Cause.RETRY) {
            draft.set(i, draft.step(i).waiting(StepStatus.WAITING, draft.now()));
        } else {
            close(i, question.cause());
        }
    }

    /** The probe does not know, or could not be asked. */
    void unanswered(SagaEvent.Failed event) {
        int i = event.step();
        Question question = question(i).unansweredOnceMore();
        draft.ended(i, event.outcome());
        if (event.outcome() == Outcome.INTERRUPTED) {
            draft.set(i, draft.step(i).counting(Outcome.INTERRUPTED).waiting(StepStatus.WAITING, draft.now()));
        } else if (draft.running()
                && question.cause() == Cause.RETRY
                && !plan.step(i).atMostOnce()) {
            draft.set(i, draft.step(i).asking(null).waiting(StepStatus.WAITING, draft.now()));
        } else if (doubts.spent(i, question.unanswered())) {
            draft.set(i, draft.step(i).asking(null));
            close(i, question.cause());
        } else {
            Duration delay = plan.step(i).retry().delay(question.unanswered(), event.random());
            draft.set(
                    i,
                    draft.step(i)
                            .asking(question)
                            .waiting(StepStatus.WAITING, event.from().plus(delay)));
        }
    }

    private Question question(int i) {
        return Objects.requireNonNull(draft.step(i).question());
    }

    /** Nobody is asked any more. */
    private void close(int i, Cause cause) {
        if (cause == Cause.REJECTED) {
            settleRejection(i);
        } else if (draft.running()) {
            spent(i);
        } else {
            draft.settle(i);
        }
    }

    /** The action is not called again, and nobody can be asked. */
    void spent(int i) {
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
