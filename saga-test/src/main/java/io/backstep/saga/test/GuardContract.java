package io.backstep.saga.test;

import io.backstep.saga.participant.GuardStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;

/**
 * What every {@link GuardStore} must do, seen through the guards that work on it. Extend it, and hand in the store and a table for the
 * effects of participants.
 *
 * <p>All cases may share one store and one database: each has operation ids of its own.
 */
public abstract class GuardContract {
    /** Made by the test framework. */
    protected GuardContract() {}

    /**
     * The store under test. May be used by up to 40 threads at once.
     *
     * @return the same store for the whole of a case
     */
    protected abstract GuardStore store();

    /**
     * The transactions that the store takes part in.
     *
     * @return the same object for the whole of a case
     */
    protected abstract Transactions transactions();

    /**
     * Writes an effect in the transaction of the calling thread: one row of a table of the participant.
     *
     * @param operationId whose effect
     * @param what up to 40 characters
     */
    protected abstract void write(String operationId, String what);

    /**
     * The effects that are committed.
     *
     * @param operationId whose effects
     * @return those that were written, in any order
     */
    protected abstract List<String> written(String operationId);

    /**
     * Makes the row of an operation older: moves back when it was changed, and until when it is busy.
     *
     * @param operationId the operation
     * @param by how much
     */
    protected abstract void age(String operationId, Duration by);

    /**
     * Whether a caller whose transaction has seen nothing yet may be told that it is lost, since another one has written the row meanwhile.
     *
     * @return false unless the transactions are of an isolation that refuses that
     */
    protected boolean yieldsWhenJoined() {
        return false;
    }

    @Nested
    class Actions extends GuardCases {
        Actions() {
            super(GuardContract.this);
        }
    }

    @Nested
    class JoinedTransactions extends JoinedGuardCases {
        JoinedTransactions() {
            super(GuardContract.this);
        }
    }

    @Nested
    class RemoteEffects extends RemoteGuardCases {
        RemoteEffects() {
            super(GuardContract.this);
        }
    }

    @Nested
    class Confirmations extends ConfirmGuardCases {
        Confirmations() {
            super(GuardContract.this);
        }
    }

    @Nested
    class Races extends GuardRaceCases {
        Races() {
            super(GuardContract.this);
        }
    }

    @Nested
    class Retention extends GuardRetentionCases {
        Retention() {
            super(GuardContract.this);
        }
    }
}
