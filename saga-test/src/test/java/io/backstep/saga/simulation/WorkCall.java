package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Network.Fate;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.TransactionalWork;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** User code and its record in one transaction, whose commit may be lost, late or in doubt. */
final class WorkCall {
    private static final long PATIENCE = 2_000_000_000L;

    private static final class RowLocked extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private RowLocked() {
            super("locked", null, false, false);
        }
    }

    private final Database database;

    WorkCall(Database database) {
        this.database = database;
    }

    void run(
            TransactionalWork user,
            StoreCallback<Acceptance> callback,
            BiConsumer<TransactionalWork, StoreCallback<Acceptance>> real) {
        World world = database.world;
        SimNode node = LoopThread.nodeHere();
        if (world == null || node == null) {
            real.accept(user, callback);
            return;
        }
        Fate fate = database.away() ? Fate.REFUSED : world.network.fate(true, true);
        if (fate == Fate.THROWN) {
            throw new IllegalStateException("simulated: the store is broken");
        }
        if (fate == Fate.REFUSED) {
            callback.done(null, SimFailure.refused());
            return;
        }
        SimTx outer = database.transaction();
        SimTx transaction = new SimTx();
        database.transaction(transaction);
        Mutation[] written = {null};
        int crashes = database.crashes();
        try {
            real.accept(
                    () -> {
                        Mutation mutation = user.run();
                        written[0] = mutation;
                        beforeCommit(world, node, fate, crashes, mutation, transaction);
                        return mutation;
                    },
                    (answer, failure) -> ended(node, fate, written[0], answer, failure, callback));
        } finally {
            database.transaction(outer);
        }
    }

    private void beforeCommit(World world, SimNode node, Fate fate, int crashes, Mutation mutation, SimTx transaction) {
        UUID row = mutation.fence().sagaId();
        world.loop.sleep(world.network.latency(fate));
        if (!node.alive()) {
            throw new Gone();
        }
        if (database.away() || database.crashes() != crashes) {
            throw SimFailure.inDoubt();
        }
        if (fate == Fate.LOCKED || !database.await(List.of(row), PATIENCE)) {
            world.tally.reach(Goal.ROW_LOCKED);
            throw new RowLocked();
        }
        switch (fate) {
            case TRANSIENT -> {
                world.tally.reach(Goal.TRANSACTION_RERUN);
                throw SimFailure.deadlock();
            }
            case REQUEST_LOST -> throw SimFailure.inDoubt();
            case DELAYED -> {
                commitLater(world, mutation, transaction);
                throw SimFailure.inDoubt();
            }
            default -> database.kept.transactions().afterCommit(() -> transaction.effects.forEach(Runnable::run));
        }
    }

    private void commitLater(World world, Mutation mutation, SimTx transaction) {
        boolean holds = database.kept
                .find(mutation.fence().sagaId())
                .filter(row -> row.epoch() == mutation.fence().epoch()
                        && row.seq() == mutation.fence().seq())
                .isPresent();
        if (holds) {
            List<UUID> locked = List.of(mutation.fence().sagaId());
            database.commitLater(world, locked, world.network.delay(), () -> late(mutation, transaction));
        }
    }

    private void late(Mutation mutation, SimTx transaction) {
        database.kept.inTransaction(
                () -> {
                    database.kept.transactions().afterCommit(() -> transaction.effects.forEach(Runnable::run));
                    return mutation;
                },
                (answer, failure) -> {
                    committed(mutation, answer);
                    AsyncCalls.delayed(database, answer);
                });
    }

    private void committed(Mutation mutation, @Nullable Acceptance answer) {
        if (answer != null && answer.kind() == Acceptance.Kind.ACCEPTED) {
            database.commits.posted(mutation);
            database.commits.written(mutation);
        } else if (answer != null && answer.kind() == Acceptance.Kind.STALE) {
            database.commits.stale(mutation);
        }
    }

    private void tellInDoubt(@Nullable Mutation written) {
        if (written != null) {
            database.commits.inDoubt(written, true, 1);
        }
    }

    private void ended(
            SimNode node,
            Fate fate,
            @Nullable Mutation written,
            @Nullable Acceptance answer,
            @Nullable Throwable failure,
            StoreCallback<Acceptance> callback) {
        if (written != null) {
            committed(written, answer);
        }
        if (!node.alive()) {
            return;
        }
        if (failure instanceof RowLocked) {
            callback.done(Acceptance.LOCKED, null);
        } else if (answer != null && fate == Fate.ANSWER_LOST) {
            tellInDoubt(written);
            callback.done(null, SimFailure.inDoubt());
        } else {
            if (SimFailure.isInDoubt(failure)) {
                tellInDoubt(written);
            }
            callback.done(answer, failure);
        }
    }
}
