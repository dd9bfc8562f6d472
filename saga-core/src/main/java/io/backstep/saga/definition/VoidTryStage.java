package io.backstep.saga.definition;

/**
 * A new TCC step without a result: its place, then its try.
 *
 * @param <I> the input of the saga
 */
public interface VoidTryStage<I> extends PlacementStage<I, VoidTryStage<I>> {
    /**
     * Reserves, so that it can be confirmed as well as cancelled later.
     *
     * @param action called at least once, always with the same idempotency key
     * @return the step, which needs its confirm
     */
    VoidConfirmStage<I> tryAction(VoidAction<I> action);
}
