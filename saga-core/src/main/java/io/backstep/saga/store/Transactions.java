package io.backstep.saga.store;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The transactions of the application, as far as the engine must know them. Thread-bound. */
public interface Transactions {
    /**
     * Runs work in a new transaction of its own; a transaction of the caller's is suspended meanwhile. Commits when the work
     * returns, rolls back when it throws.
     *
     * @param work what to do
     * @param <T> what it returns
     * @return what the work returned, after the commit
     * @throws Exception what the work threw, after the rollback; or {@link SagaStoreException} when begin or commit failed
     */
    <T extends @Nullable Object> T inTransaction(Callable<T> work) throws Exception;

    /**
     * Whether the calling thread is inside a transaction.
     *
     * @return true inside one
     */
    boolean isActive();

    /**
     * Whether the transaction of the calling thread is read-only.
     *
     * @return true inside a read-only transaction
     */
    boolean isReadOnly();

    /**
     * Runs something after the transaction of the calling thread has committed; never after a rollback. When the commit is out
     * of this object's sight (a connection that was handed in) it is not run at all: it may only make things faster. What it
     * throws is logged and does not reach the caller.
     *
     * @param hook short and never blocking; must not need a connection
     * @throws IllegalStateException outside a transaction
     */
    void afterCommit(Runnable hook);

    /**
     * Rolls back every transaction that the calling thread is in, and frees the thread of them. Asked for when user code that was called
     * outside any transaction has begun one, has returned and has not ended it. Transactions that end with a call, as
     * {@link #inTransaction}, cannot be left open; those that are begun and ended by calls of their own can, and need this.
     *
     * @throws UnsupportedOperationException by default; the thread is then used for nothing else in a saga
     */
    default void rollBackLeftOpen() {
        throw new UnsupportedOperationException(getClass().getName() + " does not implement rollBackLeftOpen");
    }
}
