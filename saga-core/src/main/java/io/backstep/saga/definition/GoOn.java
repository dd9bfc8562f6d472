package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.time.Duration;

/** Goes on with the saga after a step that is complete. */
abstract class GoOn<I> implements SagaStage<I> {
    private final SagaBuilder<I> saga;

    GoOn(SagaBuilder<I> saga) {
        this.saga = saga;
    }

    @Override
    public VoidStepStage<I, VoidCompensationStage<I>> step(String name) {
        return saga.step(name);
    }

    @Override
    public <R> StepStage<I, R, CompensationStage<I, R>> step(Step<R> step) {
        return saga.step(step);
    }

    @Override
    public VoidTryStage<I> tcc(String name) {
        return saga.tcc(name);
    }

    @Override
    public <R> TryStage<I, R> tcc(Step<R> step) {
        return saga.tcc(step);
    }

    @Override
    public VoidStepStage<I, VoidProbeOrTuningStage<I>> pivot(String name) {
        return saga.pivot(name);
    }

    @Override
    public <R> StepStage<I, R, ProbeOrTuningStage<I, R>> pivot(Step<R> step) {
        return saga.pivot(step);
    }

    @Override
    public VoidStepStage<I, VoidProbeOrTuningStage<I>> retriable(String name) {
        return saga.retriable(name);
    }

    @Override
    public <R> StepStage<I, R, ProbeOrTuningStage<I, R>> retriable(Step<R> step) {
        return saga.retriable(step);
    }

    @Override
    public VoidStepStage<I, TuningStage<I>> bestEffort(String name) {
        return saga.bestEffort(name);
    }

    @Override
    public <R> StepStage<I, R, TuningStage<I>> bestEffort(Step<R> step) {
        return saga.bestEffort(step);
    }

    @Override
    public <R> WaitStage<I> awaitSignal(Step<R> step, Duration timeout) {
        return saga.awaitSignal(step, timeout);
    }

    @Override
    public WaitStage<I> delay(String name, Duration time) {
        return saga.delay(name, time);
    }

    @Override
    public SagaStage<I> version(int number) {
        return saga.version(number);
    }

    @Override
    public SagaStage<I> deadline(Duration afterStart) {
        return saga.deadline(afterStart);
    }

    @Override
    public SagaStage<I> strictCompensation() {
        return saga.strictCompensation();
    }

    @Override
    public SagaDefinition<I> build() {
        return saga.build();
    }
}
