package io.backstep.saga.definition;

import java.util.Optional;

final class ProbeBuilder<I, R> extends TuningBuilder<I> implements ProbeOrTuningStage<I, R> {
    ProbeBuilder(SagaBuilder<I> saga, StepDraft draft) {
        super(saga, draft);
    }

    @Override
    public TuningStage<I> probe(Action<I, Optional<R>> probe) {
        draft.probe(Erased.probe(draft.present(probe, "probe(probe)")));
        return this;
    }

    @Override
    public TuningStage<I> probeOutcome(Action<I, Probe<R>> probe) {
        draft.probe(Erased.probeOutcome(draft.present(probe, "probeOutcome(probe)")));
        return this;
    }
}
