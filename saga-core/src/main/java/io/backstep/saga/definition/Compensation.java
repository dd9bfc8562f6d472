package io.backstep.saga.definition;

import java.util.Optional;

/**
 * Undoes a step that has a result. Must stand being called more than once, and for an action that never arrived.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
@FunctionalInterface
public interface Compensation<I, R> {
    /**
     * Undoes it.
     *
     * @param context about this attempt; its idempotency key is the action's
     * @param result the recorded result; empty when the outcome of the action is unknown or it returned nothing
     * @throws Exception {@link io.backstep.saga.StepRejectedException} for a business no; anything else is retried
     */
    void run(StepContext<I> context, Optional<R> result) throws Exception;
}
