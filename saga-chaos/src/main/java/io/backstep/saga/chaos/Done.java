package io.backstep.saga.chaos;

/**
 * The result of a remote step.
 *
 * @param key the key that the far end was called with
 */
public record Done(String key) {}
