package io.backstep.saga.store;

import java.time.Duration;

/**
 * A claim on sagas for a time.
 *
 * @param owner node id and incarnation, at most 200 characters
 * @param duration how long, from the moment the database grants it
 */
public record Lease(String owner, Duration duration) {}
