package io.backstep.saga.definition;

/**
 * A complete step with a result that starts a child saga. Unless it says otherwise, undoing it means that the child is undone; that
 * cannot be where the child has a pivot or a TCC step.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public interface ChildStage<I, R> extends CompensationTuningStage<I> {
    /**
     * Undoes the step in another way, when the child has completed: the child stays as it is.
     *
     * @param compensation called at least once, with the result of the step
     * @return the step, complete
     */
    CompensationTuningStage<I> compensate(Compensation<I, R> compensation);

    /**
     * Says that nothing is to be done when the child has completed: it stays as it is.
     *
     * @param why for people who read the definition, at most 500 characters
     * @return the step, complete
     */
    TuningStage<I> noCompensation(String why);
}
