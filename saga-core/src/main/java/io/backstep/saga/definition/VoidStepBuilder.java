package io.backstep.saga.definition;

final class VoidStepBuilder<I, N> implements VoidStepStage<I, N> {
    private final StepDraft draft;
    private final N next;

    VoidStepBuilder(StepDraft draft, N next) {
        this.draft = draft;
        this.next = next;
    }

    @Override
    public VoidActionStage<I, N> transactional() {
        draft.transactional();
        return this;
    }

    @Override
    public N action(VoidAction<I> action) {
        draft.action(Erased.voidAction(draft.present(action, "action(action)")));
        return next;
    }
}
