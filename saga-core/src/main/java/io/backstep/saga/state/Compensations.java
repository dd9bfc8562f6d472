package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import java.util.Comparator;
import java.util.List;

/** What follows from the end of an attempt of a compensation, and which one comes next. */
final class Compensations {
    private final Draft draft;
    private final Plan plan;

    Compensations(Draft draft) {
        this.draft = draft;
        this.plan = draft.plan();
    }

    void succeeded(int i) {
        draft.ended(i, Outcome.SUCCEEDED);
        draft.set(i, draft.step(i).as(StepStatus.COMPENSATED));
    }

    void rejected(int i) {
        draft.ended(i, Outcome.REJECTED);
        draft.set(i, draft.step(i).counting(Outcome.REJECTED));
        giveUp(i);
    }

    void failed(SagaEvent.Failed event) {
        int i = event.step();
        draft.ended(i, event.outcome());
        draft.set(i, draft.step(i).counting(event.outcome()));
        Retry retry = plan.step(i).compensationRetry();
        if (event.mayRepeat(retry, draft.step(i))) {
            draft.set(i, draft.step(i).waiting(StepStatus.COMPENSATING, event.next(retry, draft.step(i))));
        } else {
            giveUp(i);
        }
    }

    /** It is not tried any more; the others still are, unless the definition is strict. */
    void giveUp(int i) {
        draft.set(i, draft.step(i).as(StepStatus.COMPENSATION_FAILED));
        if (plan.strictCompensation()) {
            draft.park(SagaReason.COMPENSATION_EXHAUSTED);
        }
    }

    /** The next one to begin, or -1 when none is left. */
    int next() {
        return order().stream()
                .filter(i -> draft.is(i, StepStatus.SUCCEEDED) || draft.is(i, StepStatus.UNKNOWN))
                .findFirst()
                .orElse(-1);
    }

    /**
     * Latest first. That also puts every step before those that it waited for, whatever the graph: a step begins only once these are
     * recorded or skipped, so its place is a later one, and nothing begins that waits for an unknown one.
     */
    List<Integer> order() {
        return plan.indices()
                .filter(plan::hasCompensation)
                .filter(this::mayHaveTakenEffect)
                .boxed()
                .sorted(Comparator.comparingInt(this::place)
                        .thenComparing(Comparator.naturalOrder())
                        .reversed())
                .toList();
    }

    private int place(int i) {
        int completed = draft.step(i).completed();
        return completed == 0 ? Integer.MAX_VALUE : completed;
    }

    boolean mayHaveTakenEffect(int i) {
        return switch (draft.step(i).status()) {
            case SUCCEEDED, UNKNOWN, COMPENSATING, COMPENSATED, COMPENSATION_FAILED -> true;
            case WAITING -> draft.step(i).inDoubt() && draft.step(i).question() == null;
            case PENDING, EXECUTING, SKIPPED, REJECTED, GIVEN_UP -> false;
            case CONFIRMING, CONFIRMED -> false;
        };
    }
}
