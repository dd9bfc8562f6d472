package io.backstep.saga.simulation;

import io.backstep.saga.SagaReason;
import io.backstep.saga.definition.StepKind;
import java.util.function.Predicate;

/** Whether a reason to turn or to park is true, as far as the history goes. */
final class Reasons {
    private final Shape shape;
    private final Model model;

    Reasons(Shape shape, Model model) {
        this.shape = shape;
        this.model = model;
    }

    boolean turns(SagaReason reason) {
        return switch (reason) {
            case REJECTED -> model.steps.stream().anyMatch(step -> step.rejected);
            case ATTEMPTS_EXHAUSTED -> shape.steps().stream().anyMatch(this::spent);
            case UNANSWERED -> model.steps.stream().anyMatch(step -> step.silent);
            case DEADLINE_EXCEEDED, CANCELLED, OPERATOR, PARENT -> true;
            default -> false;
        };
    }

    boolean parks(SagaReason reason) {
        return switch (reason) {
            case COMPENSATION_EXHAUSTED -> model.steps.stream().anyMatch(step -> step.undoFailed);
            case PIVOT_UNKNOWN ->
                !model.pivotIsClear() && !model.decided() && !model.steps.get(shape.pivot()).toBeAsked;
            case RETRIABLE_EXHAUSTED ->
                anyRetriable(step -> !model.facts(step).toBeAsked && spent(step)) || model.confirms.spent();
            case RETRIABLE_REJECTED -> anyRetriable(step -> model.facts(step).rejected) || model.confirms.refused();
            case WAIT_TIMEOUT -> anyRetriable(step -> model.facts(step).silent);
            case TAKEOVER_LIMIT -> model.steps.stream().anyMatch(step -> step.takeovers >= Model.MOST_TAKEOVERS);
            case UNREADABLE -> model.refused;
            case OPERATOR -> true;
            default -> false;
        };
    }

    private boolean spent(StepShape step) {
        return model.facts(step).failures >= Math.max(1, step.attempts()) || model.calledTheOnlyTime(step);
    }

    private boolean anyRetriable(Predicate<StepShape> what) {
        return shape.steps().stream()
                .filter(step -> step.is(StepKind.RETRIABLE))
                .anyMatch(what);
    }
}
