package io.backstep.saga.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transactions of an {@link InMemorySagaStore}, bound to threads, on the lock of the store. What else lives in memory takes
 * part with {@link #afterRollback}.
 */
public final class InMemoryTransactions implements Transactions {
    static final String DEADLOCK = "SAGA-DB-902";
    static final String LOCKED = "SAGA-DB-012";

    private static final Logger LOG = LoggerFactory.getLogger(InMemoryTransactions.class);

    private final ReentrantLock lock;
    private final Condition released;
    private final Supplier<Object> thread;
    private final Consumer<MemoryTransaction> publish;
    private final Map<Object, MemoryTransaction> current = new HashMap<>();
    private final Map<Object, MemoryTransaction> holders = new HashMap<>();

    InMemoryTransactions(ReentrantLock lock, Supplier<Object> thread, Consumer<MemoryTransaction> publish) {
        this.lock = lock;
        this.released = lock.newCondition();
        this.thread = thread;
        this.publish = publish;
    }

    @Override
    public <T extends @Nullable Object> T inTransaction(Callable<T> work) throws Exception {
        return within(begin(false), work);
    }

    /**
     * Runs work in a new read-only transaction of its own, as {@link #inTransaction} does.
     *
     * @param work what to do
     * @param <T> what it returns
     * @return what the work returned
     * @throws Exception what the work threw
     */
    public <T extends @Nullable Object> T inReadOnlyTransaction(Callable<T> work) throws Exception {
        return within(begin(true), work);
    }

    @Override
    public boolean isActive() {
        return locked(() -> current() != null);
    }

    @Override
    public boolean isReadOnly() {
        return locked(() -> current() != null && active().readOnly);
    }

    @Override
    public void afterCommit(Runnable hook) {
        locked(() -> active().afterCommit.add(hook));
    }

    /**
     * Runs something after the transaction of the calling thread was rolled back: how effects in memory are taken back.
     *
     * @param undo short; the one that was handed in last runs first
     * @throws IllegalStateException outside a transaction
     */
    public void afterRollback(Runnable undo) {
        locked(() -> {
            active().afterRollback.add(0, undo);
            return undo;
        });
    }

    /**
     * Takes a lock that the transaction of the calling thread keeps until its end; waits a while for another that has it.
     *
     * @param what equal to what others lock when it is the same
     * @param patience how long it waits
     * @return what stands for the transaction
     * @throws SagaStoreException {@code SAGA-DB-012} when the other keeps it, {@code SAGA-DB-902} when both wait for each other
     * @throws InterruptedException when the thread is interrupted meanwhile
     * @throws IllegalStateException outside a transaction
     */
    public Object lock(Object what, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            MemoryTransaction transaction = active();
            awaitRelease(transaction, what, patience);
            hold(transaction, what);
            return transaction;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs something in the very moment that the transaction of the calling thread commits, before others get its locks.
     *
     * @param effect short; must not throw
     * @throws IllegalStateException outside a transaction
     */
    public void onCommit(Runnable effect) {
        locked(() -> active().effects.add(effect));
    }

    MemoryTransaction begin(boolean readOnly) {
        return locked(() -> {
            MemoryTransaction begun = new MemoryTransaction(current(), readOnly);
            current.put(thread.get(), begun);
            return begun;
        });
    }

    @Nullable
    MemoryTransaction current() {
        return current.get(thread.get());
    }

    MemoryTransaction active() {
        MemoryTransaction transaction = current();
        if (transaction == null) {
            throw new IllegalStateException("the calling thread is in no transaction of this store");
        }
        return transaction;
    }

    /** Commits, if the last write is accepted; rolls back otherwise. */
    Acceptance commit(MemoryTransaction transaction, Supplier<Acceptance> lastWrite) {
        Acceptance acceptance = locked(() -> {
            Acceptance answer = lastWrite.get();
            if (answer.equals(Acceptance.ACCEPTED)) {
                publish.accept(transaction);
            }
            end(transaction);
            return answer;
        });
        run(acceptance.equals(Acceptance.ACCEPTED) ? transaction.afterCommit : transaction.afterRollback);
        return acceptance;
    }

    void rollback(MemoryTransaction transaction) {
        locked(() -> {
            end(transaction);
            return transaction;
        });
        run(transaction.afterRollback);
    }

    boolean holds(Object what) {
        return holders.containsKey(what);
    }

    void hold(MemoryTransaction transaction, Object what) {
        holders.put(what, transaction);
    }

    void release(MemoryTransaction transaction) {
        holders.values().removeIf(transaction::equals);
        released.signalAll();
    }

    /** Waits until nobody else holds any of these. The store's lock is held, and let go of meanwhile. */
    void awaitRelease(MemoryTransaction transaction, List<Object> wanted) {
        Optional<MemoryTransaction> other = holder(transaction, wanted);
        while (other.isPresent()) {
            if (!transaction.mayWaitFor(other.get())) {
                throw failed(DEADLOCK, "two transactions wait for each other");
            }
            released.awaitUninterruptibly();
            transaction.waitsNoMore();
            other = holder(transaction, wanted);
        }
    }

    /** Waits a while until nobody else holds it. The store's lock is held, and let go of meanwhile. */
    void awaitRelease(MemoryTransaction transaction, Object wanted, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        Optional<MemoryTransaction> other = holder(transaction, List.of(wanted));
        try {
            while (other.isPresent()) {
                if (!transaction.mayWaitFor(other.get())) {
                    throw failed(DEADLOCK, "two transactions wait for each other");
                }
                if (left <= 0) {
                    throw failed(
                            LOCKED, "another transaction has had the saga locked for " + patience.toMillis() + " ms");
                }
                left = released.awaitNanos(left);
                transaction.waitsNoMore();
                other = holder(transaction, List.of(wanted));
            }
        } finally {
            transaction.waitsNoMore();
        }
    }

    private Optional<MemoryTransaction> holder(MemoryTransaction not, List<Object> wanted) {
        return wanted.stream()
                .flatMap(what -> Stream.ofNullable(holders.get(what)))
                .filter(holder -> !holder.equals(not))
                .findFirst();
    }

    private <T extends @Nullable Object> T within(MemoryTransaction transaction, Callable<T> work) throws Exception {
        T result;
        try {
            result = work.call();
        } catch (Throwable failure) {
            rollback(transaction);
            throw failure;
        }
        commit(transaction, () -> Acceptance.ACCEPTED);
        return result;
    }

    private void end(MemoryTransaction transaction) {
        release(transaction);
        if (transaction.outer == null) {
            current.remove(thread.get());
        } else {
            transaction.outer.waitsNoMore();
            current.put(thread.get(), transaction.outer);
        }
    }

    private static void run(List<Runnable> hooks) {
        for (Runnable hook : hooks) {
            try {
                hook.run();
            } catch (Throwable failure) {
                LOG.warn("what was to run after a transaction failed; it is not run again", failure);
            }
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> what) {
        lock.lock();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    static SagaStoreException failed(String code, String message) {
        return new SagaStoreException(code, message, SagaStoreException.Effect.NONE, null);
    }
}
