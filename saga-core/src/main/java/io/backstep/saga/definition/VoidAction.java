package io.backstep.saga.definition;

/**
 * An action, or a compensation, that returns nothing and is handed nothing.
 *
 * @param <I> the input of the saga
 */
@FunctionalInterface
public interface VoidAction<I> {
    /**
     * Does it.
     *
     * @param context about this attempt
     * @throws Exception {@link io.backstep.saga.StepRejectedException} for a business no; anything else means unknown
     */
    void run(StepContext<I> context) throws Exception;
}
