package io.backstep.saga.definition;

/**
 * A step without a result that has its action: it may have a probe, and needs its compensation, or the reason why it has none.
 *
 * @param <I> the input of the saga
 */
public interface VoidCompensationStage<I> extends VoidProbeStage<I, VoidCompensationStage<I>> {
    /**
     * How the step is undone.
     *
     * @param compensation must stand being called more than once, and for an action that never arrived
     * @return the step, complete
     */
    CompensationTuningStage<I> compensate(VoidAction<I> compensation);

    /**
     * Says that the step need not be undone.
     *
     * @param why for people: 1 to 500 characters, not blank
     * @return the step, complete
     */
    TuningStage<I> noCompensation(String why);
}
