package io.backstep.saga.definition;

import io.backstep.saga.SagaType;

/**
 * A new step without a result: its place, then {@link #transactional()}, then its action; or the saga that it starts.
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

    /**
     * Starts another saga instead of calling somebody, once, and waits for its end: when it has completed the step has succeeded, when it
     * was compensated the step is rejected, and while it is parked the step waits. Nothing is held meanwhile. When this saga turns, the
     * child is asked to turn as well, and awaited.
     *
     * @param child its type; the highest version that the node knows is started
     * @param input makes its input, called like an action that has no effect of its own: tried again by the step's retry policy
     * @param <C> the input of the child
     * @return the step, complete; it may say how it is undone when the child has completed
     */
    <C> VoidChildStage<I> startSaga(SagaType<C> child, Action<I, C> input);

    /**
     * As {@link #startSaga(SagaType, Action)}, with a definition, and so its version, given.
     *
     * @param child its definition
     * @param input makes its input
     * @param <C> the input of the child
     * @return the step, complete; it may say how it is undone when the child has completed
     */
    <C> VoidChildStage<I> startSaga(SagaDefinition<C> child, Action<I, C> input);
}
