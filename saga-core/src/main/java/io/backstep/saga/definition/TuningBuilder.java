package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.time.Duration;

/** Tunes its step; everything else is its saga's. */
final class TuningBuilder<I> implements CompensationTuningStage<I> {
    private final SagaBuilder<I> saga;
    private final StepDraft draft;

    TuningBuilder(SagaBuilder<I> saga, StepDraft draft) {
        this.saga = saga;
        this.draft = draft;
    }

    @Override
    public CompensationTuningStage<I> retry(Retry policy) {
        draft.retry(policy);
        return this;
    }

    @Override
    public CompensationTuningStage<I> timeout(Duration longest) {
        draft.timeout(longest);
        return this;
    }

    @Override
    public CompensationTuningStage<I> rejectOn(Class<?>... types) {
        draft.rejectOn(types);
        return this;
    }

    @Override
    public CompensationTuningStage<I> compensationRetry(Retry policy) {
        draft.compensationRetry(policy);
        return this;
    }

    @Override
    public CompensationTuningStage<I> compensationTimeout(Duration longest) {
        draft.compensationTimeout(longest);
        return this;
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
    public VoidStepStage<I, TuningStage<I>> pivot(String name) {
        return saga.pivot(name);
    }

    @Override
    public <R> StepStage<I, R, TuningStage<I>> pivot(Step<R> step) {
        return saga.pivot(step);
    }

    @Override
    public VoidStepStage<I, TuningStage<I>> retriable(String name) {
        return saga.retriable(name);
    }

    @Override
    public <R> StepStage<I, R, TuningStage<I>> retriable(Step<R> step) {
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
