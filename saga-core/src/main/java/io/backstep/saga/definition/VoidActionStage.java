package io.backstep.saga.definition;

/**
 * A step without a result that needs its action.
 *
 * @param <I> the input of the saga
 * @param <N> what comes next
 */
public interface VoidActionStage<I, N> {
    /**
     * What the step does.
     *
     * @param action called at least once, always with the same idempotency key; exactly once when transactional
     * @return what comes next
     */
    N action(VoidAction<I> action);
}
