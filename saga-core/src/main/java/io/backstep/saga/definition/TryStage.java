package io.backstep.saga.definition;

/**
 * A new TCC step with a result: its place, then its try.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public interface TryStage<I, R> extends PlacementStage<I, TryStage<I, R>> {
    /**
     * Reserves, so that it can be confirmed as well as cancelled later.
     *
     * @param action called at least once, always with the same idempotency key
     * @return the step, which needs its confirm
     */
    ConfirmStage<I, R> tryAction(Action<I, R> action);
}
