package io.backstep.saga.definition;

import java.util.Optional;

/**
 * A step with a result that has its action, and may have a probe: what to ask when nobody knows whether the action took effect. It is asked
 * before the action is called again and before the step is compensated, and also before a pivot is given up as unknown; by an attempt of
 * its own, under the step's timeout, without a transaction. It must not change anything, and may be asked any number of times. What it
 * throws means that it does not know. A transactional step is never in doubt, so it can't have one.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 * @param <N> what comes next
 */
public interface ProbeStage<I, R, N> {
    /**
     * Looks for the effect of the action.
     *
     * @param probe returns the result, which means that the action took effect, or empty when it does not know: not finding it says nothing
     *     of calls that are still on their way
     * @return what comes next
     */
    N probe(Action<I, Optional<R>> probe);

    /**
     * Looks for the effect of the action, and can also say that there is none, and will be none.
     *
     * @param probe returns what it knows
     * @return what comes next
     */
    N probeOutcome(Action<I, Probe<R>> probe);
}
