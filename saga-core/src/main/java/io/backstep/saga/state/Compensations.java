package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Settlement;
import java.time.Duration;
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

    /**
     * An attempt has succeeded, or the child is undone. What was asked for may have to be settled first.
     *
     * @param from the moment from which the wait for that counts
     */
    void succeeded(int i, Duration from) {
        draft.ended(i, Outcome.SUCCEEDED);
        Settlement settlement = plan.step(i).settlement();
        draft.set(
                i,
                settlement == null
                        ? draft.step(i).as(StepStatus.COMPENSATED)
                        : draft.step(i).awaitingUndo(from.plus(settlement.time())));
    }

    /** Whether what its compensation has asked for is not settled yet. */
    boolean isUnsettled(int i) {
        return draft.is(i, StepStatus.COMPENSATING) && draft.step(i).awaiting() && plan.settles(i);
    }

    void settled(int i) {
        draft.settled(i, Outcome.SUCCEEDED);
        draft.set(i, draft.step(i).as(StepStatus.COMPENSATED));
    }

    /** Nobody says that it was settled, or somebody says that it will not be. */
    void unsettled(int i, Outcome outcome) {
        draft.settled(i, outcome);
        draft.set(i, draft.step(i).counting(outcome));
        giveUp(i);
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
