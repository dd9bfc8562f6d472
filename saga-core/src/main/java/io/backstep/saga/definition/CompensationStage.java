package io.backstep.saga.definition;

/**
 * A step with a result that has its action: it may have a probe, and needs its compensation, or the reason why it has none.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public interface CompensationStage<I, R> extends ProbeStage<I, R, CompensationStage<I, R>> {
    /**
     * How the step is undone.
     *
     * @param compensation must stand being called more than once, and for an action that never arrived; it is handed the
     *     result, or empty when the outcome of the action is unknown
     * @return the step, complete
     */
    CompensationTuningStage<I> compensate(Compensation<I, R> compensation);

    /**
     * Says that the step need not be undone.
     *
     * @param why for people: 1 to 500 characters, not blank
     * @return the step, complete
     */
    TuningStage<I> noCompensation(String why);
}
