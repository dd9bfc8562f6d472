package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Network.Fate;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.Transactions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Transactions of callers and operators. Between their first write and their end no time passes, but the commit may. */
final class SimTransactions implements Transactions {
    private final Database database;
    private final InMemoryTransactions kept;

    SimTransactions(Database database) {
        this.database = database;
        this.kept = database.kept.transactions();
    }

    @Override
    public <T extends @Nullable Object> T inTransaction(Callable<T> work) throws Exception {
        World world = database.world;
        Fate fate = fate(world);
        SimTx outer = database.transaction();
        SimTx transaction = new SimTx();
        transaction.answerLost = fate == Fate.ANSWER_LOST;
        database.transaction(transaction);
        T result;
        try {
            result = kept.inTransaction(() -> {
                T done = work.call();
                if (world != null) {
                    beforeCommit(world, fate, transaction);
                }
                kept.afterCommit(() -> committed(transaction));
                return done;
            });
        } finally {
            database.transaction(outer);
        }
        if (transaction.answerLost) {
            throw SimFailure.inDoubt();
        }
        return result;
    }

    private Fate fate(@Nullable World world) {
        if (world == null) {
            return Fate.FINE;
        }
        Fate fate = database.away() ? Fate.REFUSED : world.network.fate(false, true);
        if (fate == Fate.REFUSED) {
            throw SimFailure.refused();
        }
        return fate;
    }

    private void beforeCommit(World world, Fate fate, SimTx transaction) {
        SimNode node = LoopThread.nodeHere();
        if (node != null && !node.alive()) {
            throw new Gone();
        }
        if (database.away()) {
            throw SimFailure.inDoubt();
        }
        switch (fate) {
            case TRANSIENT -> throw SimFailure.deadlock();
            case REQUEST_LOST -> throw SimFailure.inDoubt();
            case DELAYED -> {
                database.commitLater(world, transaction.locked, world.network.delay(), () -> late(transaction));
                throw SimFailure.inDoubt();
            }
            default -> {}
        }
    }

    private void late(SimTx transaction) {
        try {
            kept.inTransaction(() -> {
                transaction.replay.forEach(Runnable::run);
                return true;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        committed(transaction);
    }

    private void committed(SimTx transaction) {
        transaction.effects.forEach(Runnable::run);
        database.commits.business(transaction.operated, transaction.posted, transaction.audited, transaction.inserted);
    }

    @Override
    public boolean isActive() {
        return kept.isActive();
    }

    @Override
    public boolean isReadOnly() {
        return kept.isReadOnly();
    }

    @Override
    public void afterCommit(Runnable hook) {
        SimTx transaction = database.transaction();
        kept.afterCommit(() -> {
            if (transaction == null || !transaction.answerLost) {
                hook.run();
            }
        });
    }
}
