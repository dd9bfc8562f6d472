package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.util.function.Predicate;

final class StepBuilder<I, R, N> implements StepStage<I, R, N> {
    private final StepDraft draft;
    private final N next;

    StepBuilder(StepDraft draft, N next) {
        this.draft = draft;
        this.next = next;
    }

    @Override
    public StepStage<I, R, N> after(Step<?>... steps) {
        draft.after(steps);
        return this;
    }

    @Override
    public StepStage<I, R, N> after(String... names) {
        draft.after(names);
        return this;
    }

    @Override
    public StepStage<I, R, N> afterStart() {
        draft.afterStart();
        return this;
    }

    @Override
    public StepStage<I, R, N> onlyIf(Predicate<? super SagaData<I>> condition) {
        draft.onlyIf(Erased.condition(draft.present(condition, "onlyIf(condition)")));
        return this;
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

    @Override
    public <C> ChildStage<I, R> startSaga(SagaType<C> child, Action<I, C> input, Step<R> output) {
        return started(new ChildSaga(draft.present(child, "startSaga(child, ...)"), null, output), input);
    }

    @Override
    public <C> ChildStage<I, R> startSaga(SagaDefinition<C> child, Action<I, C> input, Step<R> output) {
        SagaDefinition<C> definition = draft.present(child, "startSaga(child, ...)");
        return started(new ChildSaga(definition.type(), definition, output), input);
    }

    private ChildStage<I, R> started(ChildSaga child, Action<I, ?> input) {
        draft.present(child.output(), "startSaga(..., output)");
        draft.child(child, Erased.action(draft.present(input, "startSaga(..., input, ...)")));
        return new ChildBuilder<>(Erased.saga(draft), draft);
    }
}
