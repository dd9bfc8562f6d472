package io.backstep.saga.participant;

import java.time.Duration;
import java.util.UUID;

/**
 * Keeps what came of requests, each under its key and for a time. Each call stands for itself: it takes part in no transaction of the
 * caller's, and what it has done is seen by all when it returns. Throws {@link io.backstep.saga.store.SagaStoreException} when the store
 * does not answer. Safe for use by many threads.
 */
public interface IdempotencyStore {
    /**
     * Takes a key that is free: one that is not there, whose time to live is over, or whose caller has taken longer than its limit
     * over the same request.
     *
     * @param claim who wants it
     * @return what is known of the key then; it has the claim's token if the claim has it
     */
    IdempotencyRow claim(IdempotencyClaim claim);

    /**
     * Stores what came of it. From now on its time to live counts anew.
     *
     * @param key the key
     * @param token of the caller that has it
     * @param result the result as text
     * @param timeToLive for how long it is kept
     * @return false when somebody else has the key: nothing is stored then
     */
    boolean complete(String key, UUID token, String result, Duration timeToLive);

    /**
     * Gives a key back that nothing came of; does nothing when somebody else has it.
     *
     * @param key the key
     * @param token of the caller that has it
     */
    void release(String key, UUID token);

    /**
     * Deletes keys whose time to live is over.
     *
     * @param limit how many at most
     * @return how many were found; fewer than the limit when no more are left
     */
    int purge(int limit);
}
