package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.InstanceRow;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * What is promised of tries, confirms and cancels: nothing is confirmed that was not tried with success, the decision never flips, all are
 * confirmed or all cancelled, and nothing stays reserved. It compares what reaches the participants with what is recorded, and holds for
 * calls of owners that are none any more, too: they have been told the decision, or have not.
 */
final class TccRules {
    private final World world;
    private final Set<UUID> confirmedOnce = new HashSet<>();

    TccRules(World world) {
        this.world = world;
    }

    /** User code is called, by whomever. */
    void called(UUID sagaId, StepShape step, Phase phase) {
        Watched saga = world.checker.watched(sagaId);
        if (!step.tcc() || saga == null || world.purged.contains(sagaId)) {
            return;
        }
        if (phase == Phase.ACTION) {
            world.tally.tried.add(sagaId);
        } else if (phase == Phase.CONFIRM) {
            confirmedOnce.add(sagaId);
            require(
                    saga.model.decided() && !saga.model.turned && saga.model.facts(step).done,
                    "TCC",
                    () -> step.name() + " is confirmed without a decision, or a success of its try: " + saga.row);
        } else if (phase == Phase.COMPENSATION) {
            require(
                    !confirmedOnce.contains(sagaId),
                    "TCC",
                    () -> step.name() + " is cancelled after the first confirm: " + saga.row);
        }
    }

    /** A confirm or a cancel has reached the participant; of what is deleted it knows nothing. */
    void arrives(UUID sagaId, StepShape step, Phase phase) {
        if (!step.tcc() || world.purged.contains(sagaId)) {
            return;
        }
        world.guarded(() -> "saga " + sagaId, () -> {
            Participant.Effect effect = world.participant.effect(sagaId, step);
            if (phase == Phase.CONFIRM) {
                require(effect.applied > 0, "TCC", () -> step.name() + " is confirmed, and was never reserved");
                require(
                        effect.undone == 0,
                        "TCC",
                        () -> step.name() + " is confirmed, and was cancelled: the decision has flipped");
            } else if (phase == Phase.COMPENSATION) {
                require(
                        !effect.confirmed,
                        "TCC",
                        () -> step.name() + " is cancelled, and was confirmed: the decision has flipped");
            }
        });
    }

    /** When it has ended, and at the very end, when all that was late has arrived. */
    void ended(Watched saga, InstanceRow row) {
        List<StepShape> tries =
                saga.shape.steps().stream().filter(StepShape::tcc).toList();
        if (row.status() == SagaStatus.COMPLETED) {
            tries.stream().filter(step -> saga.model.facts(step).done).forEach(step -> {
                require(
                        saga.model.facts(step).confirmed,
                        "TCC",
                        () -> "COMPLETED, and " + step.name() + " is not confirmed");
                require(effect(row, step).confirmed, "TCC", () -> "COMPLETED, and nobody has confirmed " + step.name());
            });
            world.tally.confirmed(row.sagaId(), any(tries, step -> saga.model.facts(step).confirmed));
        }
        if (row.status() == SagaStatus.COMPENSATED) {
            require(
                    !any(tries, step -> effect(row, step).confirmed),
                    "TCC",
                    () -> "COMPENSATED, and something is confirmed");
            world.tally.cancelled(row.sagaId(), any(tries, step -> effect(row, step).undone > 0));
        }
        boolean both =
                any(tries, step -> effect(row, step).confirmed) && any(tries, step -> effect(row, step).undone > 0);
        require(!both, "TCC", () -> "something is confirmed, and something else is cancelled");
        if (row.status() == SagaStatus.FORCE_COMPLETED || row.status() == SagaStatus.FAILED) {
            world.tally.reachIf(any(tries, step -> effect(row, step).held()), Goal.RESERVATION_LEFT_TO_THE_SWEEP);
        }
    }

    /** Whatever has ended its saga without it, the sweep gives back what nobody has confirmed. */
    void swept() {
        world.participant.sweep();
        List<UUID> left = world.checker.sagas().values().stream()
                .filter(saga -> any(
                        saga.shape.steps(),
                        step -> step.tcc() && effect(saga.row, step).held()))
                .map(saga -> saga.row.sagaId())
                .toList();
        require(left.isEmpty(), "TCC", () -> "after the sweep something is reserved for " + left);
    }

    private Participant.Effect effect(InstanceRow row, StepShape step) {
        return world.participant.effect(row.sagaId(), step);
    }

    private static boolean any(List<StepShape> steps, Predicate<StepShape> what) {
        return steps.stream().anyMatch(what);
    }
}
