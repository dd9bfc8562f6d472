package io.backstep.saga.definition;

/**
 * A TCC step without a result that has its try and its confirm, and needs its cancel.
 *
 * @param <I> the input of the saga
 */
public interface VoidCancelStage<I> {
    /**
     * Gives back what the try has reserved, or may have, when the saga turns: the compensation of the step.
     *
     * @param cancellation must stand being called more than once, and for a try that never arrived
     * @return the step, complete
     */
    TccTuningStage<I> cancel(VoidAction<I> cancellation);
}
