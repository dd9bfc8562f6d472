package io.backstep.saga.definition;

final class VoidCompensationBuilder<I> implements VoidCompensationStage<I> {
    private final SagaBuilder<I> saga;
    private final StepDraft draft;

    VoidCompensationBuilder(SagaBuilder<I> saga, StepDraft draft) {
        this.saga = saga;
        this.draft = draft;
    }

    @Override
    public VoidCompensationStage<I> probeOutcome(Action<I, Probe<Void>> probe) {
        draft.probe(Erased.probeOutcome(draft.present(probe, "probeOutcome(probe)")));
        return this;
    }

    @Override
    public CompensationTuningStage<I> compensate(VoidAction<I> compensation) {
        draft.compensation(Erased.voidCompensation(draft.present(compensation, "compensate(compensation)")));
        return new TuningBuilder<>(saga, draft);
    }

    @Override
    public TuningStage<I> noCompensation(String why) {
        draft.noCompensation(why);
        return new TuningBuilder<>(saga, draft);
    }
}
