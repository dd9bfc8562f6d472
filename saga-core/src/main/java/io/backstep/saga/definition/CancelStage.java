package io.backstep.saga.definition;

/**
 * A TCC step with a result that has its try and its confirm, and needs its cancel.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public interface CancelStage<I, R> {
    /**
     * Gives back what the try has reserved, or may have, when the saga turns: the compensation of the step.
     *
     * @param cancellation must stand being called more than once, and for a try that never arrived; it is handed the result, or empty
     *     when the outcome of the try is unknown
     * @return the step, complete
     */
    TccTuningStage<I> cancel(Compensation<I, R> cancellation);
}
