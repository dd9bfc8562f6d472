package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;

/**
 * A new step with a result: its place, then {@link #transactional()}, then its action; or the saga that it starts.
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

    /**
     * Starts another saga instead of calling somebody, once, and waits for its end: when it has completed the step has succeeded, when it
     * was compensated the step is rejected, and while it is parked the step waits. Nothing is held meanwhile. When this saga turns, the
     * child is asked to turn as well, and awaited.
     *
     * @param child its type; the highest version that the node knows is started
     * @param input makes its input, called like an action that has no effect of its own: tried again by the step's retry policy
     * @param output the step of the child whose result becomes the result of this one
     * @param <C> the input of the child
     * @return the step, complete; it may say how it is undone when the child has completed
     */
    <C> ChildStage<I, R> startSaga(SagaType<C> child, Action<I, C> input, Step<R> output);

    /**
     * As {@link #startSaga(SagaType, Action, Step)}, with a definition, and so its version, given.
     *
     * @param child its definition
     * @param input makes its input
     * @param output the step of the child whose result becomes the result of this one
     * @param <C> the input of the child
     * @return the step, complete; it may say how it is undone when the child has completed
     */
    <C> ChildStage<I, R> startSaga(SagaDefinition<C> child, Action<I, C> input, Step<R> output);
}
