package io.backstep.saga.definition;

final class VoidChildBuilder<I> extends TuningBuilder<I> implements VoidChildStage<I> {
    private final VoidCompensationStage<I> compensation;

    VoidChildBuilder(SagaBuilder<I> saga, StepDraft draft) {
        super(saga, draft);
        this.compensation = new VoidCompensationBuilder<>(saga, draft);
    }

    @Override
    public CompensationTuningStage<I> compensate(VoidAction<I> how) {
        return compensation.compensate(how);
    }

    @Override
    public TuningStage<I> noCompensation(String why) {
        return compensation.noCompensation(why);
    }
}
