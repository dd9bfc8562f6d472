package io.backstep.saga.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored row of {@code saga_compensation_log}.
 *
 * @param entry what it says, but for its relative time
 * @param nextRetryAt when the next attempt is due, or null
 * @param createdAt when it was planned
 * @param updatedAt when it was last written
 */
public record CompensationRow(
        CompensationEntry entry, @Nullable Instant nextRetryAt, Instant createdAt, Instant updatedAt) {}
