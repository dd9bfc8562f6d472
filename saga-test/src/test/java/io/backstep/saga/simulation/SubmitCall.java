package io.backstep.saga.simulation;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.StoreCallback;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/** A flush: one commit for all its rows, of which some may be stale, locked, or refused for their data. */
final class SubmitCall {
    private final Database database;
    private final AsyncCalls calls;
    private final Set<Held> underWay = new HashSet<>();

    SubmitCall(Database database, AsyncCalls calls) {
        this.database = database;
        this.calls = calls;
    }

    void run(
            List<Mutation> batch,
            StoreCallback<List<Acceptance>> callback,
            BiConsumer<List<Mutation>, StoreCallback<List<Acceptance>>> real) {
        World world = database.world;
        if (world == null || LoopThread.nodeHere() == null) {
            real.accept(batch, callback);
            return;
        }
        List<UUID> rows =
                batch.stream().map(mutation -> mutation.fence().sagaId()).toList();
        List<Held> owned = batch.stream()
                .map(mutation ->
                        new Held(mutation.fence().sagaId(), mutation.fence().epoch()))
                .toList();
        owned.forEach(one -> begin(world, one));
        world.tally.reachIf(batch.size() > 1, Goal.BATCH_OF_WRITES);
        StoreCallback<List<Acceptance>> back = (answers, failure) -> {
            owned.forEach(underWay::remove);
            if (SimFailure.isInDoubt(failure)) {
                batch.forEach(mutation -> database.commits.inDoubt(mutation, false, batch.size()));
            }
            callback.done(answers, failure);
        };
        try {
            calls.sendLocking(
                    rows,
                    back,
                    answer -> write(world, batch, List.of(), answer, real),
                    answer -> write(world, batch, world.network.someOf(rows), answer, real));
        } catch (RuntimeException thrown) {
            owned.forEach(underWay::remove);
            throw thrown;
        }
    }

    /** The engine promises it: whatever comes second might be written first. */
    private void begin(World world, Held one) {
        world.guarded(
                () -> "saga " + one.sagaId(),
                () -> Model.require(underWay.add(one), "ORDER", () -> "two writes of one owner are under way at once"));
    }

    private void write(
            World world,
            List<Mutation> batch,
            List<UUID> locked,
            StoreCallback<List<Acceptance>> callback,
            BiConsumer<List<Mutation>, StoreCallback<List<Acceptance>>> real) {
        List<Mutation> fine = batch.stream()
                .filter(mutation -> isLocked(mutation, locked) || !fits(mutation) || !world.network.refusesRow())
                .toList();
        database.onTables(
                locked,
                () -> real.accept(fine, (answers, failure) -> {
                    if (answers == null) {
                        callback.done(null, failure);
                        return;
                    }
                    for (int place = 0; place < fine.size(); place++) {
                        if (answers.get(place).kind() == Acceptance.Kind.ACCEPTED) {
                            database.commits.posted(fine.get(place));
                        }
                    }
                    List<Acceptance> all = new ArrayList<>();
                    for (Mutation mutation : batch) {
                        int place = fine.indexOf(mutation);
                        all.add(place < 0 ? new Acceptance(Acceptance.Kind.REFUSED, null) : answers.get(place));
                        committed(mutation, all.get(all.size() - 1).kind());
                    }
                    reached(world, all);
                    callback.done(all, null);
                }));
    }

    private boolean isLocked(Mutation mutation, List<UUID> locked) {
        UUID row = mutation.fence().sagaId();
        return locked.contains(row) || database.locks.holds(row);
    }

    private boolean fits(Mutation mutation) {
        Fence fence = mutation.fence();
        return database.kept
                .find(fence.sagaId())
                .filter(row -> row.epoch() == fence.epoch() && row.seq() == fence.seq())
                .isPresent();
    }

    private void committed(Mutation mutation, Acceptance.Kind kind) {
        switch (kind) {
            case ACCEPTED -> database.commits.written(mutation);
            case STALE -> database.commits.stale(mutation);
            case REFUSED -> database.commits.refused(mutation);
            case LOCKED -> {}
        }
    }

    private static void reached(World world, List<Acceptance> answers) {
        Set<Acceptance.Kind> kinds = new HashSet<>();
        answers.forEach(answer -> kinds.add(answer.kind()));
        if (kinds.contains(Acceptance.Kind.ACCEPTED)) {
            world.tally.reachIf(kinds.contains(Acceptance.Kind.STALE), Goal.BATCH_PARTLY_STALE);
            world.tally.reachIf(kinds.contains(Acceptance.Kind.LOCKED), Goal.BATCH_PARTLY_LOCKED);
            world.tally.reachIf(kinds.contains(Acceptance.Kind.REFUSED), Goal.BATCH_PARTLY_REFUSED);
        }
    }
}
