package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.InstanceRow;
import java.util.List;
import java.util.UUID;

/** Compares what the rows say with what has happened in the world. */
final class EndRules {
    private final World world;

    EndRules(World world) {
        this.world = world;
    }

    void committed(Watched saga, InstanceRow row) {
        saga.shape.steps().stream()
                .filter(step -> saga.model.facts(step).skipped)
                .forEach(step -> skipped(row.sagaId(), step));
        saga.shape.steps().stream().filter(StepShape::local).forEach(step -> exactlyOnce(saga, row.sagaId(), step));
        boolean open = row.steps().contains("EXECUTING") || row.steps().contains("\"WAITING\"");
        if (saga.model.turned && !open) {
            log(saga, row.sagaId());
        }
        ended(saga, row);
        world.tcc.ended(saga, row);
    }

    private void skipped(UUID id, StepShape step) {
        Participant.Effect effect = world.participant.effect(id, step);
        require(
                effect.applied == 0 && effect.undone == 0,
                "SKIP",
                () -> "skipped " + step.name() + " took effect, or was undone");
    }

    private void exactlyOnce(Watched saga, UUID id, StepShape step) {
        Participant.Effect effect = world.participant.effect(id, step);
        Facts facts = saga.model.facts(step);
        boolean once = effect.applied == (facts.done ? 1 : 0) && effect.undone == (facts.undone ? 1 : 0);
        require(
                once,
                "G5",
                () -> "transactional " + step.name() + " took effect " + effect.applied + " times, undone "
                        + effect.undone
                        + ", and is recorded as " + (facts.done ? "done" : "not done")
                        + (facts.undone ? ", undone" : ""));
    }

    private void log(Watched saga, UUID id) {
        List<CompensationRow> rows = world.database.kept.compensations(id);
        List<StepShape> order = saga.model.order();
        List<String> logged = rows.stream().map(row -> row.entry().step()).toList();
        List<String> expected = order.stream().map(StepShape::name).toList();
        require(
                logged.equals(expected),
                "G7",
                () -> "the compensation log has " + logged + ", it should be " + expected);
        for (CompensationRow row : rows) {
            Facts facts = saga.model.facts(saga.shape.step(row.entry().step()));
            CompensationEntry.Status status = row.entry().status();
            boolean same = (status == CompensationEntry.Status.SUCCEEDED) == facts.undone
                    && (status == CompensationEntry.Status.FAILED) == facts.undoFailed;
            require(
                    same || saga.row.status() == SagaStatus.FORCE_COMPLETED,
                    "G8",
                    () -> "the compensation log says " + row.entry() + ", the history does not");
        }
    }

    /** Also at the very end, when all that was late has arrived. */
    void ended(Watched saga, InstanceRow row) {
        if (row.status() == SagaStatus.COMPLETED) {
            saga.shape.steps().forEach(step -> done(saga, row.sagaId(), step));
        } else if (row.status() == SagaStatus.COMPENSATED) {
            saga.shape.steps().forEach(step -> undone(row.sagaId(), step));
        }
    }

    private void done(Watched saga, UUID id, StepShape step) {
        Participant.Effect effect = world.participant.effect(id, step);
        if (saga.model.facts(step).skipped || step.waits() != null || step.child() != null) {
            return;
        }
        if (!step.is(StepKind.BEST_EFFORT)) {
            boolean dedupes = step.local()
                    || step.participant() == Participant.Kind.GUARDED
                    || step.participant() == Participant.Kind.KEYED;
            require(
                    effect.net >= 1 && (effect.net == 1 || !dedupes),
                    "I9",
                    () -> "COMPLETED, and " + step.name() + " took effect " + effect.net + " times");
        }
        require(effect.undone == 0, "I9", () -> "COMPLETED, and " + step.name() + " is undone");
        require(
                saga.model.facts(step).done == effect.net > 0 || step.is(StepKind.BEST_EFFORT),
                "G6",
                () -> "skipped " + step);
    }

    private void undone(UUID id, StepShape step) {
        Participant.Effect effect = world.participant.effect(id, step);
        if (step.undoable()) {
            boolean excused = effect.afterUndo && step.participant() != Participant.Kind.GUARDED && !step.local();
            require(
                    effect.net == 0 || excused,
                    "E2",
                    () -> "COMPENSATED, and the effect of " + step.name() + " is there");
        }
        boolean forwardOnly = step.is(StepKind.PIVOT) || step.is(StepKind.RETRIABLE);
        require(!forwardOnly || effect.applied == 0, "PIVOT", () -> "COMPENSATED, and " + step.name() + " took effect");
    }
}
