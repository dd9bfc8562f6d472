package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.util.function.Predicate;

final class VoidTccBuilder<I> implements VoidTryStage<I>, VoidConfirmStage<I>, VoidCancelStage<I> {
    private final SagaBuilder<I> saga;
    private final StepDraft draft;

    VoidTccBuilder(SagaBuilder<I> saga, StepDraft draft) {
        this.saga = saga;
        this.draft = draft;
    }

    @Override
    public VoidTryStage<I> after(Step<?>... steps) {
        draft.after(steps);
        return this;
    }

    @Override
    public VoidTryStage<I> after(String... names) {
        draft.after(names);
        return this;
    }

    @Override
    public VoidTryStage<I> afterStart() {
        draft.afterStart();
        return this;
    }

    @Override
    public VoidTryStage<I> onlyIf(Predicate<? super SagaData<I>> condition) {
        draft.onlyIf(Erased.condition(draft.present(condition, "onlyIf(condition)")));
        return this;
    }

    @Override
    public VoidConfirmStage<I> tryAction(VoidAction<I> action) {
        draft.action(Erased.voidAction(draft.present(action, "tryAction(action)")));
        return this;
    }

    @Override
    public VoidConfirmStage<I> probeOutcome(Action<I, Probe<Void>> probe) {
        draft.probe(Erased.probeOutcome(draft.present(probe, "probeOutcome(probe)")));
        return this;
    }

    @Override
    public VoidCancelStage<I> confirm(VoidAction<I> confirmation) {
        draft.confirmation(Erased.voidConfirmation(draft.present(confirmation, "confirm(confirmation)")));
        return this;
    }

    @Override
    public TccTuningStage<I> cancel(VoidAction<I> cancellation) {
        draft.compensation(Erased.voidCompensation(draft.present(cancellation, "cancel(cancellation)")));
        return new TuningBuilder<>(saga, draft);
    }
}
