package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import java.util.EnumSet;
import java.util.Set;

/** What is recorded is final, and says what is true. */
final class StatusRules {
    private static final Set<StepStatus> OPEN =
            EnumSet.of(StepStatus.PENDING, StepStatus.EXECUTING, StepStatus.WAITING);

    private StatusRules() {}

    static void check(Happening h, Findings out) {
        saga(h, h.is(), out);
        out.expect(h.is().steps().size() == h.was().steps().size(), "state: no step comes or goes");
        boolean operator = h.event() instanceof SagaEvent.Retried;
        out.expect(h.was().turned() == null || h.is().turned() == h.was().turned(), "final: a saga turns once");
        boolean moves = operator || h.event() instanceof SagaEvent.ForceCompleted || h.is().equals(h.was());
        out.expect(h.was().status() != SagaStatus.FAILED || moves, "final: only an operator moves a parked saga");
        h.plan().steps().forEach(step -> {
            settledStays(h, step, operator, out);
            saysWhatIsTrue(h, step, out);
        });
    }

    private static void saga(Happening h, SagaState is, Findings out) {
        SagaStatus status = is.status();
        out.expect((is.parked() != null) == (status == SagaStatus.FAILED), "state: parked is the reason of FAILED");
        boolean putDown = h.event() instanceof SagaEvent.Stuck e
                && h.before().owner() == Owner.OPERATOR
                && is.parked() == e.reason();
        out.expect(
                is.parked() == null || is.parked().parks() || putDown, "state: the reason of FAILED is one that parks");
        out.expect(is.turned() == null || !is.turned().parks(), "state: the reason to turn is one that turns");
        boolean back = status == SagaStatus.COMPENSATING || status == SagaStatus.COMPENSATED;
        out.expect(!back || is.turned() != null, "state: what compensates has a reason");
        boolean forward = status == SagaStatus.RUNNING || status == SagaStatus.COMPLETED;
        out.expect(!forward || is.turned() == null, "state: what goes forward has not turned");
        boolean forced = h.event() instanceof SagaEvent.ForceCompleted;
        out.expect(status != SagaStatus.FORCE_COMPLETED || forced, "state: only an operator force-completes");
        SagaReason pending = is.pending();
        out.expect(pending == null || !pending.parks() && is.turned() == null, "state: pending is a reason to turn");
    }

    private static void settledStays(Happening h, int step, boolean operator, Findings out) {
        StepStatus was = h.was(step).status();
        StepStatus is = h.is(step).status();
        boolean undone = is == StepStatus.COMPENSATING
                && h.is().turned() != null
                && h.plan().undoable(step);
        boolean stays = switch (was) {
            case SUCCEEDED -> is == was || undone;
            case COMPENSATED, SKIPPED -> is == was;
            case REJECTED, GIVEN_UP ->
                is == was || operator && h.was().turned() == null && !h.plan().bestEffort(step);
            case UNKNOWN -> is == was || undone || operator && h.was().turned() == null;
            case COMPENSATION_FAILED -> is == was || operator;
            default -> true;
        };
        out.expect(stays, "final: what is recorded stays");
        int place = h.was(step).completed();
        out.expect(place == 0 || place == h.is(step).completed(), "final: the order of completion stays");
    }

    private static void saysWhatIsTrue(Happening h, int step, Findings out) {
        Truth truth = h.after().truth(step);
        StepState is = h.is(step);
        counters(h, is, truth, out);
        out.expect(
                (is.status() == StepStatus.EXECUTING) == goesForward(truth)
                        || !h.is().status().active(),
                "state: EXECUTING is what is under way");
        out.expect(
                truth.underWay() != Phase.COMPENSATION || is.status() == StepStatus.COMPENSATING,
                "state: COMPENSATING is what is being undone");
        out.expect(truth.underWay() == null || is.notBefore() == null, "state: what is under way waits for nothing");
        boolean open = h.plan().conditional(step) && truth.answer() == Answer.OPEN;
        out.expect(is.undecided() == open, "state: undecided is what has a condition that has not answered");
        out.expect(truth(h, step, is.status(), truth), "state: the status of a step is true");
        int place = h.after().completed().indexOf(step) + 1;
        out.expect(place == is.completed(), "state: the order of completion is right");
    }

    private static boolean goesForward(Truth truth) {
        return truth.underWay() == Phase.ACTION || truth.underWay() == Phase.CONDITION;
    }

    private static void counters(Happening h, StepState is, Truth truth, Findings out) {
        if (OPEN.contains(is.status()) || is.status() == StepStatus.COMPENSATING) {
            out.expect(is.failures() == truth.failures(), "policy: only failures count as failures");
            out.expect(is.interruptions() == truth.interruptions(), "policy: only shutdowns count as interruptions");
            out.expect(is.takeovers() == truth.takeovers(), "policy: only lost nodes count as takeovers");
        }
        if (OPEN.contains(is.status())) {
            out.expect(
                    is.inDoubt() == (truth.effect() == Effect.POSSIBLE),
                    "unknown: inDoubt says whether an attempt may have taken effect");
        }
    }

    private static boolean truth(Happening h, int step, StepStatus status, Truth truth) {
        boolean bestEffort = h.plan().bestEffort(step);
        return switch (status) {
            case SUCCEEDED -> truth.effect() == Effect.APPLIED;
            case REJECTED ->
                truth.effect() == Effect.NONE || bestEffort || h.plan().kind(step) == StepKind.RETRIABLE;
            case UNKNOWN ->
                truth.effect() == Effect.POSSIBLE && !h.plan().step(step).transactional();
            case GIVEN_UP -> bestEffort || mayBeSureOfNothing(h, step, truth) && truth.effect() == Effect.NONE;
            case COMPENSATING, COMPENSATION_FAILED -> h.plan().undoable(step) && truth.mayBeThere();
            case COMPENSATED ->
                h.plan().kind(step) == StepKind.COMPENSATABLE
                        && (truth.effect() == Effect.UNDONE || !h.plan().undoable(step));
            case SKIPPED -> truth.answer() == Answer.NO && truth.effect() == Effect.NONE;
            default -> truth.effect() == Effect.NONE || truth.effect() == Effect.POSSIBLE;
        };
    }

    /** Whether attempts without an answer may certainly have done nothing. */
    private static boolean mayBeSureOfNothing(Happening h, int step, Truth truth) {
        return !h.plan().remote(step)
                || h.plan().waits(step)
                || h.plan().conditional(step) && truth.answer() == Answer.OPEN;
    }
}
