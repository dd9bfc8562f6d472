package io.backstep.saga.definition;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.Step;
import java.time.Duration;

/**
 * A saga that is being defined. Each step waits for all that are declared before it, unless it says otherwise
 * ({@link PlacementStage}). For one use on one thread: after
 * {@link #build()}, and on another thread, every verb throws {@code SAGA-DSL-015}.
 *
 * @param <I> the input of the saga
 */
public interface SagaStage<I> {
    /**
     * Adds a compensatable step without a result.
     *
     * @param name 1 to 100 of {@code A-Z a-z 0-9 . _ -}; unique, and not by its case alone
     * @return the step, which needs its action
     */
    VoidStepStage<I, VoidCompensationStage<I>> step(String name);

    /**
     * Adds a compensatable step with a result.
     *
     * @param step its name, unique, and the type of its result
     * @param <R> the result of the step
     * @return the step, which needs its action
     */
    <R> StepStage<I, R, CompensationStage<I, R>> step(Step<R> step);

    /**
     * Adds a TCC step without a result: its try reserves; once the saga is decided the try is confirmed, and when the saga turns it is
     * cancelled. Decided means that the pivot is recorded, or where there is none the last step that is not best-effort. Steps that wait
     * for this one wait, before that, for its try, and after it for its confirm as well. Not after the pivot.
     *
     * @param name as for {@link #step(String)}
     * @return the step, which needs its try
     */
    VoidTryStage<I> tcc(String name);

    /**
     * Adds a TCC step whose try has a result, see {@link #tcc(String)}.
     *
     * @param step its name, unique, and the type of its result
     * @param <R> the result of the step
     * @return the step, which needs its try
     */
    <R> TryStage<I, R> tcc(Step<R> step);

    /**
     * Adds the pivot, without a result: once it is recorded the saga goes only forward. At most one, after every
     * compensatable step.
     *
     * @param name as for {@link #step(String)}
     * @return the step, which needs its action
     */
    VoidStepStage<I, VoidProbeOrTuningStage<I>> pivot(String name);

    /**
     * Adds the pivot, with a result: once it is recorded the saga goes only forward. At most one, after every compensatable
     * step.
     *
     * @param step its name, unique, and the type of its result
     * @param <R> the result of the step
     * @return the step, which needs its action
     */
    <R> StepStage<I, R, ProbeOrTuningStage<I, R>> pivot(Step<R> step);

    /**
     * Adds a step without a result, after the pivot, that is tried until it succeeds unless its policy limits it.
     *
     * @param name as for {@link #step(String)}
     * @return the step, which needs its action
     */
    VoidStepStage<I, VoidProbeOrTuningStage<I>> retriable(String name);

    /**
     * Adds a step with a result, after the pivot, that is tried until it succeeds unless its policy limits it.
     *
     * @param step its name, unique, and the type of its result
     * @param <R> the result of the step
     * @return the step, which needs its action
     */
    <R> StepStage<I, R, ProbeOrTuningStage<I, R>> retriable(Step<R> step);

    /**
     * Adds a step without a result that is tried by its policy and then given up; it never turns the saga.
     *
     * @param name as for {@link #step(String)}
     * @return the step, which needs its action
     */
    VoidStepStage<I, TuningStage<I>> bestEffort(String name);

    /**
     * Adds a step with a result that is tried by its policy and then given up; it never turns the saga.
     *
     * @param step its name, unique, and the type of its result
     * @param <R> the result of the step
     * @return the step, which needs its action
     */
    <R> StepStage<I, R, TuningStage<I>> bestEffort(Step<R> step);

    /**
     * Adds a step that waits for a signal, see {@code SagaClient.signal}. Nothing is held meanwhile. When none comes in time the saga
     * turns, or, where the pivot is declared before this step, is parked as {@code WAIT_TIMEOUT}; when the signal says no it turns, or is
     * parked as {@code RETRIABLE_REJECTED}. There is nothing to undo of a wait.
     *
     * @param step its name, unique, and the type of what the signal brings: the result of the step
     * @param timeout how long it waits, from when it begins: more than zero, at most 366 days, and before the pivot at most the saga's
     *     deadline
     * @param <R> what the signal brings
     * @return the saga; where the step stands may still be said
     */
    <R> WaitStage<I> awaitSignal(Step<R> step, Duration timeout);

    /**
     * Adds a step that lets time pass. Nothing is held meanwhile, unless it is only seconds. There is nothing to undo of it.
     *
     * @param name as for {@link #step(String)}
     * @param time how long, from when it begins: more than zero, at most 366 days, and before the pivot at most the saga's deadline; it
     *     may be longer, never shorter
     * @return the saga; where the step stands may still be said
     */
    WaitStage<I> delay(String name, Duration time);

    /**
     * Numbers the version. A definition that changes its steps needs a new one.
     *
     * @param number at least 1; 1 unless given
     * @return the saga
     */
    SagaStage<I> version(int number);

    /**
     * How long after its start the saga turns, if it is still undecided.
     *
     * @param afterStart more than zero, at most 366 days; none unless given
     * @return the saga
     */
    SagaStage<I> deadline(Duration afterStart);

    /**
     * Lets the first compensation that is spent stop those that are left, which else still run.
     *
     * @return the saga
     */
    SagaStage<I> strictCompensation();

    /**
     * Checks everything and makes the definition.
     *
     * @return the definition, immutable
     * @throws SagaDefinitionException the first fault, with its code; its message lists all of them
     */
    SagaDefinition<I> build();
}
