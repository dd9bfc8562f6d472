package io.backstep.saga.definition;

import org.jspecify.annotations.Nullable;

/**
 * Makes what a try has reserved final. Must stand being called more than once.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
@FunctionalInterface
public interface Confirmation<I, R> {
    /**
     * Confirms it.
     *
     * @param context about this attempt; its idempotency key is the try's
     * @param result what the try returned; null only when it returned nothing, or what it returned could not be kept
     * @throws Exception {@link io.backstep.saga.StepRejectedException} for a business no, which parks the saga; anything else is retried
     */
    void run(StepContext<I> context, @Nullable R result) throws Exception;
}
