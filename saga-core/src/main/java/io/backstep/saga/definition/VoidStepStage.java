package io.backstep.saga.definition;

/**
 * A new step without a result: its place, then {@link #transactional()}, then its action.
 *
 * @param <I> the input of the saga
 * @param <N> what comes after its action
 */
public interface VoidStepStage<I, N> extends VoidActionStage<I, N>, PlacementStage<I, VoidStepStage<I, N>> {
    /**
     * Runs the action, and its compensation, in one database transaction with its record: exactly once.
     *
     * @return the step, which needs its action
     */
    VoidActionStage<I, N> transactional();
}
