package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.time.Duration;

/** Tunes its step; everything else is its saga's. */
class TuningBuilder<I> extends GoOn<I> implements TccTuningStage<I> {
    final StepDraft draft;

    TuningBuilder(SagaBuilder<I> saga, StepDraft draft) {
        super(saga);
        this.draft = draft;
    }

    @Override
    public TccTuningStage<I> retry(Retry policy) {
        draft.retry(policy);
        return this;
    }

    @Override
    public TccTuningStage<I> timeout(Duration longest) {
        draft.timeout(longest);
        return this;
    }

    @Override
    public TccTuningStage<I> rejectOn(Class<?>... types) {
        draft.rejectOn(types);
        return this;
    }

    @Override
    public TccTuningStage<I> rejectionIsDefinite() {
        draft.rejectionIsDefinite();
        return this;
    }

    @Override
    public TccTuningStage<I> atMostOnce() {
        draft.atMostOnce();
        return this;
    }

    @Override
    public TccTuningStage<I> compensationTransactional(boolean transactional) {
        draft.compensationTransactional(transactional);
        return this;
    }

    @Override
    public TccTuningStage<I> compensationRetry(Retry policy) {
        draft.compensationRetry(policy);
        return this;
    }

    @Override
    public TccTuningStage<I> compensationAwaits(Step<?> signal, Duration timeout) {
        draft.compensationAwaits(signal, timeout);
        return this;
    }

    @Override
    public TccTuningStage<I> compensationTimeout(Duration longest) {
        draft.compensationTimeout(longest);
        return this;
    }

    @Override
    public TccTuningStage<I> confirmRetry(Retry policy) {
        draft.confirmRetry(policy);
        return this;
    }

    @Override
    public TccTuningStage<I> confirmTimeout(Duration longest) {
        draft.confirmTimeout(longest);
        return this;
    }
}
