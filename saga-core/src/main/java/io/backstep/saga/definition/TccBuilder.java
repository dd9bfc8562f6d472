package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.util.Optional;
import java.util.function.Predicate;

final class TccBuilder<I, R> implements TryStage<I, R>, ConfirmStage<I, R>, CancelStage<I, R> {
    private final SagaBuilder<I> saga;
    private final StepDraft draft;

    TccBuilder(SagaBuilder<I> saga, StepDraft draft) {
        this.saga = saga;
        this.draft = draft;
    }

    @Override
    public TryStage<I, R> after(Step<?>... steps) {
        draft.after(steps);
        return this;
    }

    @Override
    public TryStage<I, R> after(String... names) {
        draft.after(names);
        return this;
    }

    @Override
    public TryStage<I, R> afterStart() {
        draft.afterStart();
        return this;
    }

    @Override
    public TryStage<I, R> onlyIf(Predicate<? super SagaData<I>> condition) {
        draft.onlyIf(Erased.condition(draft.present(condition, "onlyIf(condition)")));
        return this;
    }

    @Override
    public ConfirmStage<I, R> tryAction(Action<I, R> action) {
        draft.action(Erased.action(draft.present(action, "tryAction(action)")));
        return this;
    }

    @Override
    public ConfirmStage<I, R> probe(Action<I, Optional<R>> probe) {
        draft.probe(Erased.probe(draft.present(probe, "probe(probe)")));
        return this;
    }

    @Override
    public ConfirmStage<I, R> probeOutcome(Action<I, Probe<R>> probe) {
        draft.probe(Erased.probeOutcome(draft.present(probe, "probeOutcome(probe)")));
        return this;
    }

    @Override
    public CancelStage<I, R> confirm(Confirmation<I, R> confirmation) {
        draft.confirmation(Erased.confirmation(draft.present(confirmation, "confirm(confirmation)")));
        return this;
    }

    @Override
    public TccTuningStage<I> cancel(Compensation<I, R> cancellation) {
        draft.compensation(Erased.compensation(draft.present(cancellation, "cancel(cancellation)")));
        return new TuningBuilder<>(saga, draft);
    }
}
