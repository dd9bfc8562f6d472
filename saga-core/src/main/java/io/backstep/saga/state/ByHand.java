package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import java.time.Duration;

/**
 * What an operator may say of a step of a parked saga, and what follows. The others stay as they are, so the saga goes on only when it was parked
 * for this step alone.
 */
final class ByHand {
    private final Draft draft;
    private final Plan plan;
    private final Actions actions;
    private final Compensations compensations;
    private final Doubts doubts;
    private final Parking parking;

    ByHand(Draft draft, Actions actions, Compensations compensations, Doubts doubts, Parking parking) {
        this.draft = draft;
        this.plan = draft.plan();
        this.actions = actions;
        this.compensations = compensations;
        this.doubts = doubts;
        this.parking = parking;
    }

    boolean allows(int i, Resolution resolution) {
        if (!draft.active() && !draft.failed()) {
            return false;
        }
        return switch (resolution) {
            case SUCCEEDED -> isOpen(i) || draft.is(i, StepStatus.CONFIRMING);
            case REJECTED -> isOpen(i) && !plan.is(i, StepKind.RETRIABLE);
            case COMPENSATED -> draft.backward() && plan.hasCompensation(i) && isToBeUndone(i);
        };
    }

    /** Whether it has begun, and nobody knows yet what comes of it, or it is what has parked the saga. */
    private boolean isOpen(int i) {
        return switch (draft.step(i).status()) {
            case EXECUTING, WAITING, UNKNOWN -> true;
            case REJECTED -> forward() && plan.is(i, StepKind.RETRIABLE);
            case GIVEN_UP -> forward() && !plan.is(i, StepKind.BEST_EFFORT);
            default -> false;
        };
    }

    private boolean isToBeUndone(int i) {
        return draft.is(i, StepStatus.WAITING)
                || (compensations.mayHaveTakenEffect(i) && !draft.is(i, StepStatus.COMPENSATED));
    }

    private boolean forward() {
        return !draft.backward();
    }

    /** Of a parked saga; void when the state does not allow it. */
    void resolve(SagaEvent.Resolved event) {
        int i = event.step();
        if (!allows(i, event.resolution())) {
            return;
        }
        boolean goesOn = goesOn(i, event.resolution());
        if (goesOn) {
            draft.resume();
        }
        parking.abandon(event.now());
        settle(i, event.resolution());
        if (goesOn) {
            plan.indices().filter(k -> k != i).forEach(k -> pickUp(k, event.now()));
        }
    }

    private void settle(int i, Resolution resolution) {
        StepState step = draft.step(i);
        boolean confirmed = step.status() == StepStatus.CONFIRMING;
        if (step.undecided()) {
            draft.set(i, step.decided(StepStatus.WAITING));
        }
        switch (resolution) {
            case SUCCEEDED -> {
                draft.settledByHand(i, confirmed ? Phase.CONFIRM : Phase.ACTION, Outcome.SUCCEEDED);
                if (confirmed) {
                    draft.set(i, draft.step(i).as(StepStatus.CONFIRMED));
                } else {
                    draft.complete(i);
                }
            }
            case REJECTED -> {
                draft.settledByHand(i, Phase.ACTION, Outcome.REJECTED);
                actions.rejectedForCertain(i);
            }
            case COMPENSATED -> {
                draft.settledByHand(i, Phase.COMPENSATION, Outcome.SUCCEEDED);
                draft.set(i, draft.step(i).asking(null).as(StepStatus.COMPENSATED));
            }
        }
    }

    private boolean goesOn(int i, Resolution resolution) {
        SagaReason parked = draft.parked();
        if (forward() && resolution == Resolution.REJECTED && !plan.is(i, StepKind.BEST_EFFORT)) {
            return true; // it turns
        }
        if (parked == SagaReason.OPERATOR) {
            return true; // it was put down for this
        }
        return parked != null
                && ofAStep(parked)
                && plan.indices().filter(k -> k != i).noneMatch(this::holdsItBack);
    }

    /** Whether it is a step's status that tells what has parked the saga. */
    private static boolean ofAStep(SagaReason parked) {
        return switch (parked) {
            case PIVOT_UNKNOWN,
                    RETRIABLE_EXHAUSTED,
                    RETRIABLE_REJECTED,
                    WAIT_TIMEOUT,
                    TAKEOVER_LIMIT,
                    COMPENSATION_EXHAUSTED -> true;
            default -> false;
        };
    }

    private boolean holdsItBack(int k) {
        return switch (draft.step(k).status()) {
            case UNKNOWN, REJECTED -> forward();
            case GIVEN_UP -> forward() && !plan.is(k, StepKind.BEST_EFFORT);
            case COMPENSATION_FAILED -> plan.strictCompensation() || compensations.next() < 0;
            default -> false;
        };
    }

    /** What was broken off for this. */
    private void pickUp(int k, Duration now) {
        StepState step = draft.step(k);
        boolean asked = step.question() != null;
        if (step.status() == StepStatus.COMPENSATING && step.underWay()) {
            draft.set(k, step.waiting(StepStatus.COMPENSATING, now));
        } else if (step.status() == StepStatus.WAITING && !step.awaiting() && draft.backward()) {
            doubts.settle(k);
        } else if (step.status() == StepStatus.WAITING && !step.awaiting() && doubts.stands(k)) {
            actions.spent(k);
        } else if (step.status() == StepStatus.WAITING && !step.awaiting() && doubts.asks(k) && !asked) {
            doubts.ask(k, Question.Cause.RETRY);
        }
    }
}
