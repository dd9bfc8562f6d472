package io.backstep.saga.participant;

import java.time.Duration;
import java.util.UUID;

/**
 * What a caller wants to do under a key.
 *
 * @param key 1 to 200 characters
 * @param fingerprint tells one request from another, 64 characters
 * @param token of this caller alone
 * @param limit for how long nobody else may do it
 * @param timeToLive for how long the key is known, from now on
 */
public record IdempotencyClaim(String key, String fingerprint, UUID token, Duration limit, Duration timeToLive) {}
