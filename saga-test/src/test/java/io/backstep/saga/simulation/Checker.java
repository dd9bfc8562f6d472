package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.OperatorWrite;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looks at the rows that a commit has changed, after every commit. */
final class Checker implements Commits {
    private final World world;
    private final Map<UUID, Watched> sagas = new LinkedHashMap<>();
    private final EndRules ends;
    private final GoalSpotter goals;
    private final WriteRules rules;
    final WaitRules waits;
    private final MoveRules moves;
    final FamilyRules family;

    Checker(World world) {
        this.world = world;
        this.ends = new EndRules(world);
        this.goals = new GoalSpotter(world);
        this.rules = new WriteRules(world);
        this.waits = new WaitRules(world);
        this.moves = new MoveRules(world);
        this.family = new FamilyRules(world);
    }

    Map<UUID, Watched> sagas() {
        return sagas;
    }

    @Nullable
    Watched watched(UUID sagaId) {
        return sagas.get(sagaId);
    }

    @Override
    public void inserted(Collection<UUID> ids) {
        ids.forEach(id -> checked(id, () -> {
            InstanceRow row = row(id);
            boolean fresh = row.seq() == 0 && row.epoch() <= 1 && (row.epoch() == 1) == (row.owner() != null);
            require(fresh && row.status() == SagaStatus.RUNNING, "G1", () -> "a new saga is " + row);
            require(!sagas.containsKey(id), "G2", () -> "a second saga has the id");
            sagas.put(id, new Watched(world.scenario.shape(row.name(), row.version()), row));
            saga(id).model.confirms.look(row.steps());
            WriteRules.dueOrNot(row);
            rules.inserted(id);
            family.inserted(row);
            goals.inserted(row, sagas.values());
        }));
    }

    @Override
    public void written(Mutation mutation) {
        UUID id = mutation.fence().sagaId();
        checked(id, () -> {
            Watched saga = saga(id);
            InstanceRow before = saga.row;
            require(
                    mutation.fence().epoch() == before.epoch()
                            && mutation.fence().seq() == before.seq(),
                    "I7",
                    () -> "a write of " + mutation.fence() + " was accepted at " + before);
            InstanceRow after = changed(saga, false);
            require(
                    after.epoch() == before.epoch() && after.seq() == before.seq() + 1,
                    "I1",
                    () -> "written to " + after);
            if (!mutation.mail().isEmpty() || !mutation.kept().isEmpty()) {
                saga.mailAt = Long.MAX_VALUE;
                world.tally.reach(Goal.MAIL_MERGED);
            }
            rules.merged(after, mutation);
            inserted(mutation.children().stream().map(NewInstance::sagaId).toList());
            history(saga, before, after);
            rules.written(saga, mutation, before, after);
            goals.written(saga, before, after);
        });
    }

    @Override
    public void posted(Mutation mutation) {
        mutation.posts().forEach(this::asked);
    }

    @Override
    public void stale(Mutation mutation) {
        UUID id = mutation.fence().sagaId();
        world.trace.mix(0x57);
        world.tally.reach(Goal.STALE_WRITE_REFUSED);
        Watched saga = sagas.get(id);
        checked(
                id,
                () -> require(
                        saga == null || saga.row.epoch() != mutation.fence().epoch(),
                        "ORDER",
                        () -> "a write of " + mutation.fence() + " comes too late by its own owner's fault: " + saga));
    }

    @Override
    public void refused(Mutation mutation) {
        UUID id = mutation.fence().sagaId();
        world.trace.mix(0x5b);
        checked(id, () -> saga(id).model.refused = true);
    }

    @Override
    public void inDoubt(Mutation mutation, boolean work, int batch) {
        Watched saga = sagas.get(mutation.fence().sagaId());
        if (saga != null) {
            saga.inDoubt = mutation.fence().seq();
            saga.inDoubtIsWork = work;
            saga.inDoubtInABatch = batch > 1;
        }
    }

    @Override
    public void looked(ClaimRequest request) {
        goals.looked(request, sagas.values());
    }

    @Override
    public void swept(List<Mail> mail) {
        world.tally.reach(Goal.MAIL_SWEPT_TO_ITS_OWNER);
    }

    @Override
    public void insertedBefore() {
        world.tally.reach(Goal.START_IN_DOUBT_EXISTS);
    }

    @Override
    public void claimed(UUID id, String owner) {
        checked(id, () -> {
            Watched saga = saga(id);
            InstanceRow before = saga.row;
            Instant due = before.dueAt();
            require(
                    due != null && !due.isAfter(world.databaseNow()),
                    "I5",
                    () -> owner + " takes a saga that is not due: " + before);
            InstanceRow after = changed(saga, false);
            require(
                    after.epoch() == before.epoch() + 1 && after.seq() == before.seq(),
                    "I1",
                    () -> "claimed as " + after);
            require(world.knows(owner, after.version()), "G17", () -> owner + " takes a version that it does not know");
            goals.claimed(before);
            saga.stolen = before.owner() == null ? saga.stolen : after.epoch();
            history(saga, before, after);
        });
    }

    @Override
    public void recovered(UUID id, String owner) {
        checked(id, () -> {
            Watched saga = saga(id);
            InstanceRow before = saga.row;
            InstanceRow after = changed(saga, false);
            require(
                    after.epoch() == before.epoch() + 1 && after.seq() == before.seq(),
                    "I1",
                    () -> "recovered as " + after);
            require(before.status().active(), "I2", () -> "recovered although it is " + before.status());
            require(
                    before.owner() == null || owner.equals(before.owner()),
                    "I5",
                    () -> owner + " takes back the saga of " + before.owner());
            goals.recovered(saga, after);
            history(saga, before, after);
        });
    }

    @Override
    public void renewed(UUID id) {
        checked(id, () -> {
            Watched saga = saga(id);
            InstanceRow before = saga.row;
            InstanceRow after = changed(saga, false);
            boolean same = after.epoch() == before.epoch() && after.seq() == before.seq();
            require(same && Objects.equals(after.owner(), before.owner()), "I1", () -> "renewed as " + after);
            require(before.status().active() && before.owner() != null, "I2", () -> "renewed although " + before);
            history(saga, before, after);
        });
    }

    /** A sweep may have made unowned sagas due; it changes nothing else. */
    @Override
    public void hastened() {
        sagas.forEach((id, saga) -> {
            InstanceRow now = world.database.kept.find(id).orElse(null);
            if (now != null && !now.equals(saga.row)) {
                world.tally.reach(Goal.MAIL_MADE_A_SAGA_DUE);
                checked(id, () -> {
                    InstanceRow before = saga.row;
                    InstanceRow after = changed(saga, false);
                    require(
                            before.owner() == null && after.owner() == null,
                            "I5",
                            () -> "a sweep changes what is owned");
                    require(
                            after.epoch() == before.epoch() && after.seq() == before.seq(),
                            "I1",
                            () -> "a sweep makes of it " + after);
                    history(saga, before, after);
                });
            }
        });
    }

    @Override
    public void purged() {
        List<UUID> gone = sagas.entrySet().stream()
                .filter(entry -> world.database.kept.find(entry.getKey()).isEmpty())
                .map(Map.Entry::getKey)
                .toList();
        gone.forEach(id -> checked(id, () -> {
            Watched saga = saga(id);
            rules.purged(saga.row);
            family.purged(saga.row, gone);
            world.tally.reachIf(
                    sagas.values().stream().anyMatch(other -> other.row.status().active()), Goal.PURGE_DURING_RUN);
            sagas.remove(id);
            world.purged.add(id);
            world.participant.forget(id);
        }));
    }

    @Override
    public void business(List<OperatorWrite> writes, List<Mail> mail, List<AuditEntry> audit, List<UUID> inserted) {
        inserted(inserted);
        mail.forEach(letter -> asked(letter));
        writes.forEach(write -> operated(write, audit));
    }

    private void asked(Mail letter) {
        rules.posted(letter);
        Watched saga = sagas.get(letter.sagaId());
        world.tally.reachIf(saga == null || saga.row.status().ended(), Goal.MAIL_OF_AN_ENDED_SAGA);
        if (saga != null) {
            boolean first = saga.row.status().ended() || saga.mailAt == Long.MAX_VALUE;
            boolean tooLate =
                    letter.kind() == Mail.Kind.CANCEL && saga.model.decided() && saga.model.confirms.anyOwed();
            world.tally.reachIf(tooLate, Goal.CANCEL_AFTER_THE_DECISION);
            saga.mailAt = first ? world.loop.now() : saga.mailAt;
            saga.undoAsked |= letter.kind() == Mail.Kind.UNDO;
            saga.cancelAsked |= letter.kind() == Mail.Kind.CANCEL;
            saga.compensateAsked |= letter.kind() == Mail.Kind.COMPENSATE;
        }
    }

    private void operated(OperatorWrite write, List<AuditEntry> audit) {
        UUID id = write.mutation().fence().sagaId();
        checked(id, () -> {
            Watched saga = saga(id);
            InstanceRow before = saga.row;
            Instant due = before.dueAt();
            boolean held = before.owner() != null && due != null && due.isAfter(world.databaseNow());
            require(!held || write.force(), "G19", () -> "an operator writes without force to what is held: " + before);
            rules.reopened(before);
            boolean asksNobody = MoveRules.isMove(write) || before.status() == SagaStatus.COMPLETED && saga.undoAsked;
            require(
                    asksNobody
                            || audit.stream().anyMatch(entry -> entry.sagaId().equals(id)),
                    "I16",
                    () -> "an operator's write has no audit row");
            saga.forced |= held && !MoveRules.byItsOwner(write, before);
            boolean lost = before.owner() != null && !held;
            saga.cancelAsked |= audit.stream().anyMatch(entry -> entry.action().equals("cancel"));
            saga.compensateAsked |=
                    audit.stream().anyMatch(entry -> entry.action().equals("compensate"));
            InstanceRow after = changed(saga, true);
            require(
                    after.epoch() == before.epoch() + 1 && after.seq() == before.seq() + 1,
                    "I1",
                    () -> "operated: " + after);
            require(after.owner() == null, "I5", () -> "an operator's write leaves an owner");
            saga.stolen = lost ? after.epoch() : saga.stolen;
            write.mutation().posts().forEach(this::asked);
            history(saga, before, after);
            rules.operated(write, before);
            goals.operated(before, after, held, write.force(), audit);
        });
    }

    private InstanceRow changed(Watched saga, boolean byOperator) {
        InstanceRow before = saga.row;
        InstanceRow after = row(before.sagaId());
        saga.row = after;
        require(
                !before.status().ended() || family.mayBeUndone(saga, after),
                "I2",
                () -> "it has ended as " + before.status() + " and is written again: " + after);
        require(
                before.createdAt().equals(after.createdAt()) && before.input().equals(after.input()),
                "I17",
                () -> "its input changes");
        require(before.status() != SagaStatus.FAILED || byOperator, "I3", () -> "it is parked, and changes by itself");
        require(after.status() != SagaStatus.FORCE_COMPLETED || byOperator, "I3", () -> "FORCE_COMPLETED by itself");
        boolean back = before.status() == SagaStatus.COMPENSATING
                && (after.status() == SagaStatus.RUNNING || after.status() == SagaStatus.COMPLETED);
        require(!back, "I3", () -> "from COMPENSATING to " + after.status());
        WriteRules.dueOrNot(after);
        return after;
    }

    private void history(Watched saga, InstanceRow before, InstanceRow after) {
        List<HistoryRow> all = world.database.kept.history(after.sagaId());
        int known = saga.lines.size();
        require(all.size() >= known && all.subList(0, known).equals(saga.lines), "I4", () -> "its history was changed");
        List<HistoryRow> added = List.copyOf(all.subList(known, all.size()));
        for (int i = 0; i < added.size(); i++) {
            HistoryRow line = added.get(i);
            require(line.seq() == after.seq() && line.ordinal() == i, "I4", () -> "a line out of turn: " + line);
            boolean wished = (line.entry().reason() != SagaReason.CANCELLED || saga.cancelAsked)
                    && (line.entry().outcome() != Outcome.TURNED
                            || line.entry().reason() != SagaReason.OPERATOR
                            || saga.compensateAsked);
            wished &= line.entry().reason() != SagaReason.PARENT || saga.undoAsked;
            boolean early = line.entry().reason() == SagaReason.DEADLINE_EXCEEDED && isEarly(saga, after);
            require(!early, "G12", () -> "its deadline is not over");
            boolean asked = wished;
            require(asked, "I16", () -> "it says " + line.entry().reason() + ", and nobody has asked for that");
        }
        saga.lines.addAll(added);
        List<HistoryRow> told = moves.written(saga, before, after, added);
        saga.model.confirms.look(after.steps());
        waits.recorded(saga, after, told);
        world.trace.mix(after.epoch() * 31 + after.seq() * 7 + after.status().ordinal());
        world.trace.line(
                () -> "   row " + after.sagaId() + " " + after.status() + " " + after.epoch() + "." + after.seq() + " "
                        + after.owner() + " due " + after.dueAt() + " " + after.steps() + " +" + shown(added));
        rules.mail(after);
        family.written(saga, after, told);
        ends.committed(saga, after);
    }

    /** By the database's clock, unless clocks drift. */
    private boolean isEarly(Watched saga, InstanceRow row) {
        Instant deadline = row.deadline();
        double drift = world.scenario.intensity(Fault.DRIFT);
        return deadline == null
                || (drift == 0
                        && saga.row.dueAt() != null
                        && world.databaseNow().plusNanos(1000).isBefore(deadline));
    }

    private static String shown(List<HistoryRow> lines) {
        return lines.stream()
                .map(line -> line.entry().step() + " " + line.entry().phase() + " "
                        + line.entry().attempt() + " " + line.entry().outcome() + " "
                        + line.entry().reason() + " " + line.entry().errorText())
                .toList()
                .toString();
    }

    private Watched saga(UUID id) {
        Watched saga = sagas.get(id);
        if (saga == null) {
            throw new Violation("G1", "something was done to a saga that was never committed");
        }
        return saga;
    }

    private InstanceRow row(UUID id) {
        return world.database.kept.find(id).orElseThrow(() -> new Violation("G1", "the row is gone"));
    }

    private void checked(UUID id, Runnable check) {
        world.guarded(() -> "saga " + id, check);
    }
}
