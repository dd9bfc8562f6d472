package io.backstep.saga.engine;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.store.Transactions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Finds a transaction that user code outside any has begun and left open: whatever runs on its thread next would take part in it, and
 * nobody would commit it.
 */
final class LeftOpen {
    /** Set on a thread that could not be freed of one. */
    private static final ThreadLocal<@Nullable SagaStoreException> STUCK = new ThreadLocal<>();

    private final Transactions transactions;

    LeftOpen(Transactions transactions) {
        this.transactions = transactions;
    }

    /** What the code returns or throws; or {@code SAGA-DB-007}, whatever it did. On a thread that is not free, it is not called. */
    <T> T after(Callable<T> userCode) throws Exception {
        @Nullable SagaStoreException earlier = STUCK.get();
        if (earlier != null) {
            end(earlier);
        } else if (transactions.isActive()) {
            return userCode.call(); // somebody else's, who ends it
        }
        T result;
        try {
            result = userCode.call();
        } catch (Throwable e) {
            check(e);
            throw e;
        }
        check(null);
        return result;
    }

    private void check(@Nullable Throwable thrown) {
        if (transactions.isActive()) {
            SagaStoreException left = new SagaStoreException(
                    "SAGA-DB-007",
                    "user code has left a transaction open on its thread; it is rolled back: end what is begun, or let the step be"
                            + " transactional",
                    Effect.UNKNOWN,
                    thrown);
            end(left);
            throw left;
        }
    }

    private void end(SagaStoreException left) {
        RuntimeException why = null;
        try {
            transactions.rollBackLeftOpen();
        } catch (RuntimeException e) {
            why = e;
        }
        if (transactions.isActive()) {
            STUCK.set(left);
            throw new SagaStoreException(
                    "SAGA-DB-007",
                    "user code has left a transaction open on its thread, which cannot be rolled back; no step is called on this thread any"
                            + " more: "
                            + why,
                    Effect.UNKNOWN,
                    left);
        }
        STUCK.remove();
    }
}
