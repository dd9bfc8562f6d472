package io.backstep.saga.definition;

import java.util.Optional;

final class CompensationBuilder<I, R> implements CompensationStage<I, R> {
    private final SagaBuilder<I> saga;
    private final StepDraft draft;

    CompensationBuilder(SagaBuilder<I> saga, StepDraft draft) {
        this.saga = saga;
        this.draft = draft;
    }

    @Override
    public CompensationStage<I, R> probe(Action<I, Optional<R>> probe) {
        draft.probe(Erased.probe(draft.present(probe, "probe(probe)")));
        return this;
    }

    @Override
    public CompensationStage<I, R> probeOutcome(Action<I, Probe<R>> probe) {
        draft.probe(Erased.probeOutcome(draft.present(probe, "probeOutcome(probe)")));
        return this;
    }

    @Override
    public CompensationTuningStage<I> compensate(Compensation<I, R> compensation) {
        draft.compensation(Erased.compensation(draft.present(compensation, "compensate(compensation)")));
        return new TuningBuilder<>(saga, draft);
    }

    @Override
    public TuningStage<I> noCompensation(String why) {
        draft.noCompensation(why);
        return new TuningBuilder<>(saga, draft);
    }
}
