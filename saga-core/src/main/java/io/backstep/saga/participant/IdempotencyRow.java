package io.backstep.saga.participant;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a key.
 *
 * @param fingerprint of the request that has it
 * @param token of the caller that does it, or did it
 * @param result what came of it, or null while nothing has
 */
public record IdempotencyRow(
        String fingerprint, UUID token, @Nullable String result) {}
