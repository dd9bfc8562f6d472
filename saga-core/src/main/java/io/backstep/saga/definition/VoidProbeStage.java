package io.backstep.saga.definition;

/**
 * A step without a result that has its action, and may have a probe, as in {@link ProbeStage}.
 *
 * @param <I> the input of the saga
 * @param <N> what comes next
 */
public interface VoidProbeStage<I, N> {
    /**
     * Looks for the effect of the action.
     *
     * @param probe returns what it knows
     * @return what comes next
     */
    N probeOutcome(Action<I, Probe<Void>> probe);
}
