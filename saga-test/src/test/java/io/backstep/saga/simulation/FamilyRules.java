package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Parent;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parents and children agree. It knows rows and histories, and nothing of how they tell each other. */
final class FamilyRules {
    private final World world;

    FamilyRules(World world) {
        this.world = world;
    }

    private List<InstanceRow> childrenOf(UUID parent) {
        return world.checker.sagas().values().stream()
                .map(saga -> saga.row)
                .filter(row -> row.parent() != null && row.parent().sagaId().equals(parent))
                .toList();
    }

    /** The last one, by the time of its start. */
    private @Nullable InstanceRow childOf(UUID parent, String step) {
        return childrenOf(parent).stream()
                .filter(row -> row.parent() != null && row.parent().step().equals(step))
                .reduce((first, second) -> second)
                .orElse(null);
    }

    /** With the write of its parent, and alone for its step. */
    void inserted(InstanceRow row) {
        Parent parent = row.parent();
        if (parent == null) {
            return;
        }
        world.tally.reach(Goal.CHILD_STARTED);
        Watched saga = world.checker.watched(parent.sagaId());
        require(saga != null, "CHILD", () -> "a child of nobody: " + row);
        require(
                saga.row.status() == SagaStatus.RUNNING && row.owner() == null,
                "CHILD",
                () -> "started for " + saga.row + ": " + row);
        long beside = childrenOf(parent.sagaId()).stream()
                .filter(other -> other.parent() != null && other.parent().step().equals(parent.step()))
                .filter(other -> !other.status().ended())
                .count();
        require(beside == 1, "CHILD", () -> beside + " children at once for " + parent);
        StepShape step = saga.shape.step(parent.step());
        require(
                Integer.parseInt(row.input()) == step.childInput(Integer.parseInt(saga.row.input())),
                "CHILD",
                () -> "another input than its parent has made: " + row);
        boolean inTime = row.deadline() == null
                || saga.row.deadline() == null
                || saga.model.decided()
                || !row.deadline().isAfter(saga.row.deadline().plusNanos(world.scenario.bound / 10));
        require(inTime, "CHILD", () -> "it may take longer than its parent: " + row + " of " + saga.row);
    }

    /** After each write: what it says of children, and of who is left when it has ended. */
    void written(Watched saga, InstanceRow row, List<HistoryRow> added) {
        for (HistoryRow line : added) {
            HistoryEntry entry = line.entry();
            if (entry.phase() != Phase.SAGA && saga.shape.step(entry.step()).child() != null) {
                ended(row, entry);
            }
        }
        if (row.status().ended()) {
            childrenOf(row.sagaId()).forEach(child -> left(saga, row, child));
        }
    }

    private void ended(InstanceRow row, HistoryEntry entry) {
        InstanceRow child = childOf(row.sagaId(), entry.step());
        SagaStatus status = child == null ? null : child.status();
        boolean undone = entry.phase() == Phase.COMPENSATION || entry.outcome() == Outcome.REJECTED;
        if (entry.outcome() == Outcome.SUCCEEDED && entry.phase() == Phase.ACTION) {
            world.tally.reach(Goal.CHILD_COMPLETED);
            require(status == SagaStatus.COMPLETED, "CHILD", () -> "recorded as done, and the child is " + child);
        } else if (undone && entry.outcome() != Outcome.SKIPPED && entry.phase() != Phase.CONDITION) {
            world.tally.reach(entry.phase() == Phase.ACTION ? Goal.CHILD_WAS_COMPENSATED : Goal.CHILD_UNDONE);
            require(status == SagaStatus.COMPENSATED, "CHILD", () -> "recorded as undone, and the child is " + child);
        } else if (entry.outcome() == Outcome.TAKEN_OVER) {
            world.tally.reach(Goal.START_OF_A_CHILD_TAKEN_OVER);
        }
    }

    private void left(Watched saga, InstanceRow row, InstanceRow child) {
        require(child.status().ended(), "CHILD", () -> "it has ended as " + row.status() + " and leaves " + child);
        StepShape step =
                saga.shape.step(child.parent() == null ? "" : child.parent().step());
        boolean tookEffect = child.status() == SagaStatus.COMPLETED;
        require(
                row.status() != SagaStatus.COMPENSATED
                        || !tookEffect
                        || (step.is(StepKind.COMPENSATABLE) && !step.undoable()),
                "CHILD",
                () -> "COMPENSATED, and its child is not: " + child);
        require(
                row.status() != SagaStatus.COMPLETED || tookEffect || childOf(row.sagaId(), step.name()) != child,
                "CHILD",
                () -> "COMPLETED, and its child is " + child);
    }

    /** The one exception to terminal is final: while its parent is being undone. */
    boolean mayBeUndone(Watched saga, InstanceRow after) {
        Parent parent = after.parent();
        Watched of = parent == null ? null : world.checker.watched(parent.sagaId());
        return of != null
                && saga.undoAsked
                && saga.model.status == SagaStatus.COMPLETED
                && after.reason() == SagaReason.PARENT
                && (of.row.status() == SagaStatus.COMPENSATING || of.row.status() == SagaStatus.FAILED);
    }

    boolean wasUndone(UUID sagaId) {
        Watched saga = world.checker.watched(sagaId);
        return saga != null && saga.undoAsked;
    }

    /** Only a person can help: it waits for a child that is parked, or that an operator has ended. */
    boolean isStuck(UUID sagaId) {
        return childrenOf(sagaId).stream()
                .anyMatch(child -> child.status() == SagaStatus.FAILED
                        || child.status() == SagaStatus.FORCE_COMPLETED
                        || (child.status().active() && isStuck(child.sagaId())));
    }

    void purged(InstanceRow row, List<UUID> together) {
        Parent parent = row.parent();
        require(
                parent == null
                        || (world.checker.watched(parent.sagaId()) == null && !together.contains(parent.sagaId())),
                "G23",
                () -> "purged before its parent: " + row);
        world.tally.reachIf(parent != null, Goal.CHILD_PURGED);
    }
}
