package io.backstep.saga.definition;

import java.time.Duration;

/**
 * How a TCC step is confirmed once its saga is decided.
 *
 * @param confirmation what confirms it
 * @param retry for the confirm
 * @param timeout for one attempt of the confirm, from its call
 */
public record Confirming(Confirmation<Object, Object> confirmation, Retry retry, Duration timeout) {}
