package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.util.function.Predicate;

/** Places its step; everything else is its saga's. */
final class WaitBuilder<I> extends GoOn<I> implements WaitStage<I> {
    private final StepDraft draft;

    WaitBuilder(SagaBuilder<I> saga, StepDraft draft) {
        super(saga);
        this.draft = draft;
    }

    @Override
    public WaitStage<I> after(Step<?>... steps) {
        draft.after(steps);
        return this;
    }

    @Override
    public WaitStage<I> after(String... names) {
        draft.after(names);
        return this;
    }

    @Override
    public WaitStage<I> afterStart() {
        draft.afterStart();
        return this;
    }

    @Override
    public WaitStage<I> onlyIf(Predicate<? super SagaData<I>> condition) {
        draft.onlyIf(Erased.condition(draft.present(condition, "onlyIf(condition)")));
        return this;
    }
}
