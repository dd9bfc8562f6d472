package io.backstep.saga.definition;

/**
 * A new step with a result: its place, then {@link #transactional()}, then its action.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 * @param <N> what comes after its action
 */
public interface StepStage<I, R, N> extends ActionStage<I, R, N>, PlacementStage<I, StepStage<I, R, N>> {
    /**
     * Runs the action, and its compensation, in one database transaction with its record: exactly once.
     *
     * @return the step, which needs its action
     */
    ActionStage<I, R, N> transactional();
}
