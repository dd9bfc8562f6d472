package io.backstep.saga.definition;

/**
 * A step that waits: where it stands may be said, or the saga goes on.
 *
 * @param <I> the input of the saga
 */
public interface WaitStage<I> extends PlacementStage<I, WaitStage<I>>, SagaStage<I> {}
