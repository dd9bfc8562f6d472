package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.store.InstanceRow;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What must hold when user code is called. */
final class CallRules {
    private record Place(UUID sagaId, int step, Phase phase) {}

    private final World world;
    private final Map<Place, String> keys = new HashMap<>();

    CallRules(World world) {
        this.world = world;
    }

    void begins(SimNode node, StepContext<Integer> c, StepShape step, Phase phase, Optional<Integer> result) {
        world.guarded("call of " + phase + " of " + step.name() + " of saga " + c.sagaId() + " on " + node, () -> {
            sameKey(c, step, phase);
            Watched saga = world.checker.watched(c.sagaId());
            InstanceRow row = saga == null ? null : saga.row;
            if (saga == null || row == null || !node.owner.equals(row.owner())) {
                world.tally.reach(Goal.CALL_FROM_AN_OLD_EPOCH);
                boolean excused = node.drifts() || saga == null || saga.forced;
                require(excused, "G3", "it is not the owner's, at epoch " + c.epoch() + " of " + row);
                return;
            }
            intended(row, step, phase);
            boolean allowed = phase == Phase.ACTION ? saga.model.mayBeCalledNow(step) : saga.model.mayBeUndoneNow(step);
            require(allowed, phase == Phase.ACTION ? "I11" : "I10", "it may not begin now: " + row);
            results(saga, c, step, phase, result);
        });
    }

    private void sameKey(StepContext<Integer> c, StepShape step, Phase phase) {
        String key = c.idempotencyKey();
        String first = keys.putIfAbsent(new Place(c.sagaId(), step.index(), Phase.ACTION), key);
        require(first == null || first.equals(key), "I12", "the key is " + key + ", it was " + first);
        String operation = c.operationKey();
        String before = keys.putIfAbsent(new Place(c.sagaId(), -1 - step.index(), phase), operation);
        require(before == null || before.equals(operation), "I12", "the key is " + operation + ", it was " + before);
    }

    /** A call follows the write that intends it. */
    private static void intended(InstanceRow row, StepShape step, Phase phase) {
        String status = phase == Phase.ACTION ? "EXECUTING" : "COMPENSATING";
        boolean recorded = row.steps().contains("\"" + step.name() + "\":[\"" + status + "\"");
        require(recorded, "INTENT", "it is not recorded that it is called: " + row.steps());
        SagaStatus wanted = phase == Phase.ACTION ? SagaStatus.RUNNING : SagaStatus.COMPENSATING;
        require(row.status() == wanted, "I11", "the saga is " + row.status());
    }

    private static void results(
            Watched saga, StepContext<Integer> c, StepShape step, Phase phase, Optional<Integer> result) {
        for (StepShape earlier : saga.shape.steps().subList(0, step.index())) {
            boolean there = earlier.result() && saga.model.facts(earlier).done;
            Optional<Integer> expected = there ? Optional.of(Calls.value(c, earlier)) : Optional.empty();
            require(
                    Calls.resultOf(c, earlier).equals(expected),
                    "RESULT",
                    "the result of " + earlier.name() + " differs");
        }
        if (phase == Phase.COMPENSATION && step.result()) {
            Optional<Integer> own = saga.model.facts(step).done ? Optional.of(Calls.value(c, step)) : Optional.empty();
            require(result.equals(own), "RESULT", "its own result is " + result + ", not " + own);
        }
    }
}
