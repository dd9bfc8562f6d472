package io.backstep.saga.definition;

/**
 * A TCC step without a result that has its try: it may have a probe of that, and needs its confirm.
 *
 * @param <I> the input of the saga
 */
public interface VoidConfirmStage<I> extends VoidProbeStage<I, VoidConfirmStage<I>> {
    /**
     * Makes final what the try has reserved, once the saga is decided: its pivot is recorded, or without one the last step that is not
     * best-effort. From then on nothing is cancelled.
     *
     * @param confirmation called at least once, only after the try was recorded as a success
     * @return the step, which needs its cancel
     */
    VoidCancelStage<I> confirm(VoidAction<I> confirmation);
}
