package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.util.function.Predicate;

/**
 * Where a new step stands among the others. A step that says nothing of it waits for every step declared before it; steps that wait for
 * the same ones run side by side, and the next step that waits for them joins them.
 *
 * @param <I> the input of the saga
 * @param <S> the step, with what it still needs
 */
public interface PlacementStage<I, S> {
    /**
     * Waits for these steps, and for no others; calls add up.
     *
     * @param steps declared before this one, at least one, each once; checked by {@link SagaStage#build()}
     * @return the step
     */
    S after(Step<?>... steps);

    /**
     * Waits for the steps of these names, and for no others; calls add up.
     *
     * @param names of steps declared before this one, at least one, each once; checked by {@link SagaStage#build()}
     * @return the step
     */
    S after(String... names);

    /**
     * Waits for no other step: begins with the saga.
     *
     * @return the step
     */
    S afterStart();

    /**
     * Runs the step only if a condition holds; else it is recorded as skipped: it has no result and nothing to undo, and steps that wait
     * for it go on. A skipped pivot decides the saga as one that was run.
     *
     * <p>The condition is asked when the step could begin, on a worker's thread, without a transaction, within the step's timeout. Its
     * answer is recorded before the action is called, and it is not asked again then. Until then it may be asked more than once, so
     * it must be pure: a function of what it is handed. One that throws is an attempt of the step that failed, or was rejected, and
     * certainly had no effect: tried again by the step's retry policy.
     *
     * @param condition whether the step is run
     * @return the step
     */
    S onlyIf(Predicate<? super SagaData<I>> condition);
}
