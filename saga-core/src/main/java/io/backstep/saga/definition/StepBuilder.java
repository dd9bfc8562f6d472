package io.backstep.saga.definition;

final class StepBuilder<I, R, N> implements StepStage<I, R, N> {
    private final StepDraft draft;
    private final N next;

    StepBuilder(StepDraft draft, N next) {
        this.draft = draft;
        this.next = next;
    }

    @Override
    public ActionStage<I, R, N> transactional() {
        draft.transactional();
        return this;
    }

    @Override
    public N action(Action<I, R> action) {
        draft.action(Erased.action(draft.present(action, "action(action)")));
        return next;
    }
}
