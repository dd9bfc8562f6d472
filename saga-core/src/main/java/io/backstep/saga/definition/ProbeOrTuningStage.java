package io.backstep.saga.definition;

/**
 * A complete step with a result: it may have a probe, then it may be tuned, or the saga goes on.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public interface ProbeOrTuningStage<I, R> extends TuningStage<I>, ProbeStage<I, R, TuningStage<I>> {}
