package io.backstep.saga.store;

import java.util.UUID;

/**
 * What a write by the owner expects to find.
 *
 * @param sagaId the saga
 * @param epoch the epoch of the claim
 * @param seq the number of writes before this one
 */
public record Fence(UUID sagaId, long epoch, long seq) {}
