package io.backstep.saga.test;

import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Nested;

/**
 * What every {@link OutboxStore} must do. Extend it, and hand in the store. All cases may share one store and one database; nothing else may use the
 * outbox meanwhile.
 */
public abstract class OutboxContract {
    /** Made by the test framework. */
    protected OutboxContract() {}

    /**
     * The store under test. May be used by up to 10 threads at once.
     *
     * @return the same store for the whole of a case
     */
    protected abstract OutboxStore store();

    /**
     * The transactions that the store takes part in.
     *
     * @return the same object for the whole of a case
     */
    protected abstract Transactions transactions();

    /** Empties the outbox, and frees all lanes. */
    protected abstract void reset();

    /**
     * Makes a message older: moves back when it was published, when it was sent, and when it is due.
     *
     * @param id the message's id
     * @param by how much
     */
    protected abstract void age(UUID id, Duration by);

    /**
     * Moves back until when a lane is leased.
     *
     * @param lane the lane
     * @param by how much
     */
    protected abstract void ageLease(int lane, Duration by);

    @Nested
    class Publishing extends PublishCases {
        Publishing() {
            super(OutboxContract.this);
        }
    }

    @Nested
    class Order extends OutboxOrderCases {
        Order() {
            super(OutboxContract.this);
        }
    }

    @Nested
    class Lanes extends LaneCases {
        Lanes() {
            super(OutboxContract.this);
        }
    }

    @Nested
    class Keeping extends OutboxKeepingCases {
        Keeping() {
            super(OutboxContract.this);
        }
    }
}
