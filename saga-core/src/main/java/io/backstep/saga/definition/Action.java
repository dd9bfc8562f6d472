package io.backstep.saga.definition;

import org.jspecify.annotations.Nullable;

/**
 * An action that returns the result of its step.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
@FunctionalInterface
public interface Action<I, R> {
    /**
     * Does it.
     *
     * @param context about this attempt
     * @return the result; null is stored as absent
     * @throws Exception {@link io.backstep.saga.StepRejectedException} for a business no; anything else means unknown
     */
    @Nullable
    R run(StepContext<I> context) throws Exception;
}
