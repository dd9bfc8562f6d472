package io.backstep.saga.definition;

/**
 * A complete step without a result: it may have a probe, then it may be tuned, or the saga goes on.
 *
 * @param <I> the input of the saga
 */
public interface VoidProbeOrTuningStage<I> extends TuningStage<I>, VoidProbeStage<I, TuningStage<I>> {}
