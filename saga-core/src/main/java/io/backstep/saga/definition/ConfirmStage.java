package io.backstep.saga.definition;

/**
 * A TCC step with a result that has its try: it may have a probe of that, and needs its confirm.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public interface ConfirmStage<I, R> extends ProbeStage<I, R, ConfirmStage<I, R>> {
    /**
     * Makes final what the try has reserved, once the saga is decided: its pivot is recorded, or without one the last step that is not
     * best-effort. From then on nothing is cancelled.
     *
     * @param confirmation called at least once, with the result of the try, only after that was recorded as a success
     * @return the step, which needs its cancel
     */
    CancelStage<I, R> confirm(Confirmation<I, R> confirmation);
}
