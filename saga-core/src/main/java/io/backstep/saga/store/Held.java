package io.backstep.saga.store;

import java.util.UUID;

/**
 * A saga that a node holds.
 *
 * @param sagaId the saga
 * @param epoch the epoch of the claim
 */
public record Held(UUID sagaId, long epoch) {}
