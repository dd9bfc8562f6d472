package io.backstep.saga.definition;

final class VoidProbeBuilder<I> extends TuningBuilder<I> implements VoidProbeOrTuningStage<I> {
    VoidProbeBuilder(SagaBuilder<I> saga, StepDraft draft) {
        super(saga, draft);
    }

    @Override
    public TuningStage<I> probeOutcome(Action<I, Probe<Void>> probe) {
        draft.probe(Erased.probeOutcome(draft.present(probe, "probeOutcome(probe)")));
        return this;
    }
}
