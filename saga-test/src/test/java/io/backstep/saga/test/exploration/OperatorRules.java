package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;

/** What an operator gets for one write, whatever events it takes. */
final class OperatorRules {
    private OperatorRules() {}

    static void check(Plan plan, Move move, Written written, Findings out) {
        SagaEvent last = move.events().get(move.events().size() - 1);
        if (last instanceof SagaEvent.ForceCompleted) {
            out.expect(
                    written.world().state().status() == SagaStatus.FORCE_COMPLETED
                            && written.calls().isEmpty(),
                    "end: an operator ends whatever has not ended");
        } else if (last instanceof SagaEvent.TurnRequested) {
            turned(plan, move, written, out);
        } else {
            retried(plan, move.before(), written, out);
        }
    }

    private static void turned(Plan plan, Move move, Written written, Findings out) {
        SagaState was = move.before().state();
        SagaState is = written.world().state();
        boolean atTheLimit = is.parked() == SagaReason.TAKEOVER_LIMIT;
        boolean oneWay = plan.decided(was) || was.turned() != null;
        if (!oneWay && !atTheLimit) {
            boolean turns = is.turned() != null;
            out.expect(turns != written.pivotIsInTheWay(), "turning: only a pivot that may take effect stops a wish");
            out.expect(turns || is.pending() != null, "turning: a wish that must wait is kept");
        }
        out.expect(
                is.turned() == null || written.calls().stream().allMatch(call -> call.phase() == Phase.COMPENSATION),
                "turning: a write that turns it begins no action");
    }

    private static void retried(Plan plan, World before, Written written, Findings out) {
        SagaState is = written.world().state();
        out.expect(is.status() != SagaStatus.FAILED, "retry: it gets it moving");
        out.expect(is.deadline() == null, "retry: the deadline is lifted");
        out.expect(
                is.steps().stream().allMatch(step -> step.notBefore() == null || step.awaiting())
                        && written.world().suspects().isEmpty(),
                "retry: nothing waits for time, or to be admitted");
        for (int step : before.underWay()) {
            boolean forward = is.turned() == null && !before.isUnderWay(step, Phase.COMPENSATION);
            out.expect(!forward || written.world().isUnderWay(step), "retry: what was broken off is tried again");
        }
        plan.steps()
                .filter(step -> before.truth(step).mayBeThere())
                .forEach(step -> out.expect(
                        written.world().truth(step).mayBeThere(), "retry: nothing that was done is forgotten"));
    }
}
