package io.backstep.saga.definition;

import java.time.Duration;

/** Tunes its step; everything else is its saga's. */
class TuningBuilder<I> extends GoOn<I> implements CompensationTuningStage<I> {
    final StepDraft draft;

    TuningBuilder(SagaBuilder<I> saga, StepDraft draft) {
        super(saga);
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
    public CompensationTuningStage<I> rejectionIsDefinite() {
        draft.rejectionIsDefinite();
        return this;
    }

    @Override
    public CompensationTuningStage<I> atMostOnce() {
        draft.atMostOnce();
        return this;
    }

    @Override
    public CompensationTuningStage<I> compensationTransactional(boolean transactional) {
        draft.compensationTransactional(transactional);
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
}
