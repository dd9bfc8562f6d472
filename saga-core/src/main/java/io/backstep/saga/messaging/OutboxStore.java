package io.backstep.saga.messaging;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Keeps the messages of the outbox. They are spread over {@value #LANES} lanes by their aggregate; whoever sends holds a lease of the lane, so
 * the messages of an aggregate are sent by one relay at a time. Safe for use by many threads and many nodes.
 *
 * <p>{@link #insert} takes part in the transaction of the calling thread; all others have one of their own, which is over when they return.
 * What the database refuses is a {@link io.backstep.saga.store.SagaStoreException}.
 */
public interface OutboxStore {
    /** How many lanes there are. */
    int LANES = 16;

    /**
     * The lane of an aggregate: always the same, in every process.
     *
     * @param message any message of it
     * @return 0 to 15
     */
    static int lane(OutboxMessage message) {
        int hash =
                31 * message.aggregateType().hashCode() + message.aggregateId().hashCode();
        return Math.floorMod(hash ^ (hash >>> 16), LANES);
    }

    /**
     * Inserts a message, at a position after those of all transactions that are over.
     *
     * @param id the message's id
     * @param message the message
     * @throws IllegalStateException outside a transaction
     */
    void insert(UUID id, OutboxMessage message);

    /**
     * Takes a lane that nobody holds and that has something to be sent. Nothing is left out because it was committed later than
     * what has a greater position.
     *
     * @param owner who takes it
     * @param lease how long nobody else may take it
     * @param limit how many messages at most; fewer when they are large
     * @return the lane with what may be sent: of each aggregate from its first message on, and none behind one that has failed or that
     *     waits for its next attempt; empty when there is no such lane
     */
    Optional<OutboxBatch> claim(String owner, Duration lease, int limit);

    /**
     * Records what became of messages of a batch, and lets go of the lane: both or nothing. What is not named is as it was. May be called again with the
     * same when it is unknown whether it was done.
     *
     * @param batch what was claimed
     * @param marks what became of which, in any order
     * @return false when another has taken the lane since: nothing is recorded then
     */
    boolean settle(OutboxBatch batch, List<OutboxMark> marks);

    /**
     * Counts what waits.
     *
     * @return the backlog
     */
    OutboxBacklog backlog();

    /**
     * Messages that wait for a person.
     *
     * @param limit how many at most
     * @return those with the smallest positions
     */
    List<FailedMessage> failed(int limit);

    /**
     * Has a failed message sent again, with all its attempts.
     *
     * @param id the message's id
     * @return false when there is no such message, or it has not failed
     */
    boolean requeue(UUID id);

    /**
     * Deletes a failed message; those behind it go on.
     *
     * @param id the message's id
     * @return false when there is no such message, or it has not failed
     */
    boolean discard(UUID id);

    /**
     * Deletes messages that were sent a while ago; others never.
     *
     * @param age how long ago, at least
     * @param limit how many at most
     * @return how many were deleted; fewer than the limit when no more are left
     */
    int purge(Duration age, int limit);
}
