package io.backstep.saga.engine;

import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.store.Transactions;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The application's transactions, with what may go wrong at begin and commit. */
final class FaultyTransactions implements Transactions {
    private final InMemoryTransactions kept;
    private final Queue<Fault> faults = new ArrayDeque<>();
    private boolean leftOpen;
    private boolean stuck;

    FaultyTransactions(InMemoryTransactions kept) {
        this.kept = kept;
    }

    void next(Fault... ofThese) {
        faults.addAll(List.of(ofThese));
    }

    boolean exhausted() {
        return faults.isEmpty();
    }

    @Override
    public <T extends @Nullable Object> T inTransaction(Callable<T> work) throws Exception {
        Fault fault = faults.poll();
        if (fault == Fault.REFUSED_CONNECTION) {
            throw FaultyStore.failure(Effect.NONE);
        }
        T result = kept.inTransaction(() -> {
            T done = work.call();
            if (fault == Fault.DEADLOCK) {
                throw FaultyStore.deadlock();
            }
            if (fault == Fault.LOST_IN_DOUBT) {
                throw FaultyStore.failure(Effect.UNKNOWN);
            }
            return done;
        });
        if (fault == Fault.APPLIED_IN_DOUBT) {
            throw FaultyStore.failure(Effect.UNKNOWN);
        }
        return result;
    }

    /** As code does that begins a transaction and does not end it. */
    void leaveOpen() {
        leftOpen = true;
    }

    /** From now on, what is left open cannot be rolled back; or it can again. */
    void stuck(boolean now) {
        stuck = now;
    }

    @Override
    public boolean isActive() {
        return leftOpen || kept.isActive();
    }

    @Override
    public void rollBackLeftOpen() {
        if (stuck) {
            throw new IllegalStateException("planned");
        }
        leftOpen = false;
    }

    @Override
    public boolean isReadOnly() {
        return kept.isReadOnly();
    }

    @Override
    public void afterCommit(Runnable hook) {
        kept.afterCommit(hook);
    }
}
