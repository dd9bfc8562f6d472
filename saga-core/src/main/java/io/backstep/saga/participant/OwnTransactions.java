package io.backstep.saga.participant;

import io.backstep.saga.store.Transactions;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** In which transaction a guard works. */
final class OwnTransactions {
    /** How often the database may let others go first before the caller hears of it. */
    private static final int TRIES = 20;

    private final Transactions transactions;
    private final boolean strict;

    OwnTransactions(Transactions transactions, boolean strict) {
        this.transactions = transactions;
        this.strict = strict;
    }

    /** Writes the row. */
    interface Take {
        GuardRow run(boolean joined);
    }

    /** What follows in the same transaction. */
    interface Then<T extends @Nullable Object> {
        T run(GuardRow row, boolean joined) throws Exception;
    }

    /** In the caller's transaction, or in a new one if there is none. */
    <T extends @Nullable Object> T local(Take take, Then<T> then) throws Exception {
        if (transactions.isActive()) {
            return then.run(take.run(true), true);
        }
        if (strict) {
            throw new IllegalStateException(
                    "SAGA-GRD-005: a guard is called outside a transaction, and is strict; begin one before");
        }
        AtomicBoolean taken = new AtomicBoolean();
        Callable<T> work = () -> {
            GuardRow row = take.run(false);
            taken.set(true);
            return then.run(row, false);
        };
        return again(work, taken);
    }

    /** In a new one, which is over before anything remote is called. */
    <T extends @Nullable Object> T brief(Callable<T> work) throws Exception {
        if (transactions.isActive()) {
            throw new IllegalStateException("SAGA-GRD-005: a remote effect is guarded inside a transaction;"
                    + " its guard commits before the effect, so call it outside");
        }
        return alone(work);
    }

    /** In a new one, whatever the caller is in; nothing but the store's own work, which may be run again. */
    <T extends @Nullable Object> T alone(Callable<T> work) throws Exception {
        return again(work, new AtomicBoolean());
    }

    /** What was lost before the effect began is run again; from then on that is up to whoever knows the effect. */
    private <T extends @Nullable Object> T again(Callable<T> work, AtomicBoolean taken) throws Exception {
        for (int tries = 1; ; tries++) {
            try {
                return transactions.inTransaction(work);
            } catch (OperationBusyException e) {
                if (taken.get() || !e.transactionLost() || tries == TRIES) {
                    throw e;
                }
            }
        }
    }
}
