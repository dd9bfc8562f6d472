package io.backstep.saga.definition;

/**
 * A step with a result that needs its action.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 * @param <N> what comes next
 */
public interface ActionStage<I, R, N> {
    /**
     * What the step does.
     *
     * @param action called at least once, always with the same idempotency key; exactly once when transactional
     * @return what comes next
     */
    N action(Action<I, R> action);
}
