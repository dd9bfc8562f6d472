package io.backstep.saga.messaging;

import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.Ids;
import io.backstep.saga.time.SystemPorts;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Publishes messages in the caller's transaction: they leave if and only if it commits, at least once each and always with the
 * same id. In a transactional step that is the transaction of the step, so that a message is there exactly once however often the step was
 * tried. An {@link OutboxRelay} on this node or another sends them.
 *
 * <p>Messages of one aggregate that were published one after another, in one transaction or in transactions of which one was over before
 * the other published, are sent in that order, each after the broker has confirmed the one before. Safe for use by many threads.
 */
public final class Outbox {
    private static final int BATCH = 1_000;

    private final OutboxStore store;
    private final Transactions transactions;
    private final Ids ids;
    private final Runnable committed;

    /**
     * Makes an outbox.
     *
     * @param store where the messages are kept
     * @param transactions the caller's, of the same database
     */
    public Outbox(OutboxStore store, Transactions transactions) {
        this(store, transactions, SystemPorts.ids(), () -> {});
    }

    private Outbox(OutboxStore store, Transactions transactions, Ids ids, Runnable committed) {
        this.store = store;
        this.transactions = transactions;
        this.ids = ids;
        this.committed = committed;
    }

    /**
     * The same with another source of ids.
     *
     * @param other the ids of messages
     * @return a changed copy
     */
    public Outbox ids(Ids other) {
        return new Outbox(store, transactions, other, committed);
    }

    /**
     * The same, with something to be told after each commit that published: mostly the relay of this process, so that it need not wait for its
     * next poll.
     *
     * @param told such as {@link OutboxRelay#wake}; short, never blocking
     * @return a changed copy
     */
    public Outbox waking(Runnable told) {
        return new Outbox(store, transactions, ids, told);
    }

    /**
     * Publishes a message in the transaction of the calling thread.
     *
     * @param message the message
     * @return the message's id, which receivers tell duplicates by
     * @throws PublishRefusedException {@code SAGA-OUT-001} outside a transaction, {@code SAGA-OUT-002} in a read-only one
     */
    public UUID publish(OutboxMessage message) {
        if (!transactions.isActive()) {
            throw new PublishRefusedException(
                    "SAGA-OUT-001",
                    "a message is published outside a transaction: " + message
                            + "; begin one, and publish in it what it changes");
        }
        if (transactions.isReadOnly()) {
            throw new PublishRefusedException(
                    "SAGA-OUT-002", "a message is published in a read-only transaction: " + message);
        }
        UUID id = ids.next();
        store.insert(id, message);
        transactions.afterCommit(committed);
        return id;
    }

    /**
     * Counts what waits.
     *
     * @return the backlog
     */
    public OutboxBacklog backlog() {
        return store.backlog();
    }

    /**
     * Messages that could not be sent and wait for a person.
     *
     * @param limit how many at most
     * @return those that were published first
     */
    public List<FailedMessage> failed(int limit) {
        return store.failed(limit);
    }

    /**
     * Has a failed message sent again, with all its attempts; it keeps its place before those behind it.
     *
     * @param id the message's id
     * @return false when there is no such message, or it has not failed
     */
    public boolean requeue(UUID id) {
        boolean done = store.requeue(id);
        if (done) {
            committed.run();
        }
        return done;
    }

    /**
     * Deletes a failed message for good; those behind it of its aggregate go on.
     *
     * @param id the message's id
     * @return false when there is no such message, or it has not failed
     */
    public boolean discard(UUID id) {
        boolean done = store.discard(id);
        if (done) {
            committed.run();
        }
        return done;
    }

    /**
     * Deletes messages that were sent a while ago, in batches with a transaction each.
     *
     * @param age how long ago, at least
     * @return how many were deleted
     * @throws IllegalArgumentException when the age is negative
     */
    public int purge(Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException("the age is " + age + "; it must not be negative");
        }
        int all = 0;
        int found;
        do {
            found = store.purge(age, BATCH);
            all += found;
        } while (found == BATCH);
        return all;
    }
}
