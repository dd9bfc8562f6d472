package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.util.function.Predicate;

final class VoidStepBuilder<I, N> implements VoidStepStage<I, N> {
    private final StepDraft draft;
    private final N next;

    VoidStepBuilder(StepDraft draft, N next) {
        this.draft = draft;
        this.next = next;
    }

    @Override
    public VoidStepStage<I, N> after(Step<?>... steps) {
        draft.after(steps);
        return this;
    }

    @Override
    public VoidStepStage<I, N> after(String... names) {
        draft.after(names);
        return this;
    }

    @Override
    public VoidStepStage<I, N> afterStart() {
        draft.afterStart();
        return this;
    }

    @Override
    public VoidStepStage<I, N> onlyIf(Predicate<? super SagaData<I>> condition) {
        draft.onlyIf(Erased.condition(draft.present(condition, "onlyIf(condition)")));
        return this;
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

    @Override
    public <C> VoidChildStage<I> startSaga(SagaType<C> child, Action<I, C> input) {
        return started(new ChildSaga(draft.present(child, "startSaga(child, ...)"), null, null), input);
    }

    @Override
    public <C> VoidChildStage<I> startSaga(SagaDefinition<C> child, Action<I, C> input) {
        SagaDefinition<C> definition = draft.present(child, "startSaga(child, ...)");
        return started(new ChildSaga(definition.type(), definition, null), input);
    }

    private VoidChildStage<I> started(ChildSaga child, Action<I, ?> input) {
        draft.child(child, Erased.action(draft.present(input, "startSaga(..., input)")));
        return new VoidChildBuilder<>(Erased.saga(draft), draft);
    }
}
