package io.backstep.saga.definition;

final class ChildBuilder<I, R> extends TuningBuilder<I> implements ChildStage<I, R> {
    private final CompensationStage<I, R> compensation;

    ChildBuilder(SagaBuilder<I> saga, StepDraft draft) {
        super(saga, draft);
        this.compensation = new CompensationBuilder<>(saga, draft);
    }

    @Override
    public CompensationTuningStage<I> compensate(Compensation<I, R> how) {
        return compensation.compensate(how);
    }

    @Override
    public TuningStage<I> noCompensation(String why) {
        return compensation.noCompensation(why);
    }
}
