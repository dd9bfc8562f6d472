package io.backstep.saga.definition;

import io.backstep.saga.Names;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the stages write to until it is built. */
final class SagaBuilder<I> implements SagaStage<I> {
    /** Tells threads apart: each has its own object. */
    private static final ThreadLocal<Object> THREAD = ThreadLocal.withInitial(Object::new);

    private final SagaType<I> type;
    private final String definedAt;
    private final Object thread = THREAD.get();
    /** Whether TCC steps begin with the saga unless they say otherwise. */
    private final boolean triesAtStart;

    private final List<StepDraft> steps = new ArrayList<>();
    private int version = 1;
    private @Nullable Duration deadline;
    private boolean strictCompensation;
    private boolean built;

    SagaBuilder(SagaType<I> type, boolean triesAtStart) {
        if (type == null) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-001", "a saga needs a name, and define(type) has null; hand it a SagaType");
        }
        this.type = type;
        this.triesAtStart = triesAtStart;
        this.definedAt = StackWalker.getInstance()
                .walk(frames -> frames.skip(2).findFirst()) // this, and define
                .map(frame -> frame.getClassName()
                        + '.'
                        + frame.getMethodName()
                        + '('
                        + frame.getFileName()
                        + ':'
                        + frame.getLineNumber()
                        + ')')
                .orElse("an unknown place");
    }

    @Override
    public VoidStepStage<I, VoidCompensationStage<I>> step(String name) {
        StepDraft draft = draft(name, StepKind.COMPENSATABLE);
        return new VoidStepBuilder<>(draft, new VoidCompensationBuilder<>(this, draft));
    }

    @Override
    public <R> StepStage<I, R, CompensationStage<I, R>> step(Step<R> step) {
        StepDraft draft = draft(step, StepKind.COMPENSATABLE);
        return new StepBuilder<>(draft, new CompensationBuilder<>(this, draft));
    }

    @Override
    public VoidTryStage<I> tcc(String name) {
        return new VoidTccBuilder<>(this, tried(draft(name, StepKind.COMPENSATABLE)));
    }

    @Override
    public <R> TryStage<I, R> tcc(Step<R> step) {
        return new TccBuilder<>(this, tried(draft(step, StepKind.COMPENSATABLE)));
    }

    private StepDraft tried(StepDraft draft) {
        draft.tcc();
        if (triesAtStart) {
            draft.placement().atStartUnlessSaid();
        }
        return draft;
    }

    @Override
    public VoidStepStage<I, VoidProbeOrTuningStage<I>> pivot(String name) {
        return probed(draft(name, StepKind.PIVOT));
    }

    @Override
    public <R> StepStage<I, R, ProbeOrTuningStage<I, R>> pivot(Step<R> step) {
        return probedTyped(draft(step, StepKind.PIVOT));
    }

    @Override
    public VoidStepStage<I, VoidProbeOrTuningStage<I>> retriable(String name) {
        return probed(draft(name, StepKind.RETRIABLE));
    }

    @Override
    public <R> StepStage<I, R, ProbeOrTuningStage<I, R>> retriable(Step<R> step) {
        return probedTyped(draft(step, StepKind.RETRIABLE));
    }

    @Override
    public VoidStepStage<I, TuningStage<I>> bestEffort(String name) {
        StepDraft draft = draft(name, StepKind.BEST_EFFORT);
        return new VoidStepBuilder<>(draft, new TuningBuilder<>(this, draft));
    }

    @Override
    public <R> StepStage<I, R, TuningStage<I>> bestEffort(Step<R> step) {
        StepDraft draft = draft(step, StepKind.BEST_EFFORT);
        return new StepBuilder<>(draft, new TuningBuilder<>(this, draft));
    }

    @Override
    public <R> WaitStage<I> awaitSignal(Step<R> step, Duration timeout) {
        StepDraft draft = draft(step, kindOfWait());
        draft.waits(new Waiting(Waiting.What.SIGNAL, draft.present(timeout, "awaitSignal(step, timeout)")));
        return new WaitBuilder<>(this, draft);
    }

    @Override
    public WaitStage<I> delay(String name, Duration time) {
        StepDraft draft = draft(name, kindOfWait());
        draft.waits(new Waiting(Waiting.What.DELAY, draft.present(time, "delay(name, time)")));
        return new WaitBuilder<>(this, draft);
    }

    /** Before the pivot it can be given up, after it it must end well. */
    private StepKind kindOfWait() {
        boolean decided = steps.stream().anyMatch(step -> step.kind() == StepKind.PIVOT);
        return decided ? StepKind.RETRIABLE : StepKind.COMPENSATABLE;
    }

    boolean isLast(StepDraft step) {
        return steps.get(steps.size() - 1) == step;
    }

    @Override
    public SagaStage<I> version(int number) {
        checkUsable();
        version = number;
        return this;
    }

    @Override
    public SagaStage<I> deadline(Duration afterStart) {
        checkUsable();
        deadline = Faults.present(afterStart, where(), "deadline(afterStart)");
        return this;
    }

    @Override
    public SagaStage<I> strictCompensation() {
        checkUsable();
        strictCompensation = true;
        return this;
    }

    @Override
    public SagaDefinition<I> build() {
        checkUsable();
        new DefinitionChecks(where(), steps).check(type, version, deadline);
        built = true;
        return new SagaDefinition<>(type, version, definitions(), deadline, strictCompensation, definedAt);
    }

    /** Says which saga a message is about. */
    String where() {
        return "saga " + type.name() + " v" + version;
    }

    void checkUsable() {
        if (built) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-015", where() + " is built already; a definition is immutable, define another");
        }
        if (THREAD.get() != thread) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-015", where() + " is defined on another thread; use a definition's verbs on one thread");
        }
    }

    private VoidStepStage<I, VoidProbeOrTuningStage<I>> probed(StepDraft draft) {
        return new VoidStepBuilder<>(draft, new VoidProbeBuilder<>(this, draft));
    }

    private <R> StepStage<I, R, ProbeOrTuningStage<I, R>> probedTyped(StepDraft draft) {
        return new StepBuilder<>(draft, new ProbeBuilder<>(this, draft));
    }

    private StepDraft draft(String name, StepKind kind) {
        checkUsable();
        return added(Names.checked("step of " + where(), name), kind, null);
    }

    private StepDraft draft(Step<?> step, StepKind kind) {
        checkUsable();
        Step<?> named = Faults.present(step, where(), "the name of a step");
        return added(named.name(), kind, named.resultType());
    }

    private StepDraft added(String name, StepKind kind, @Nullable Type resultType) {
        StepDraft draft = new StepDraft(this, name, kind, resultType);
        steps.add(draft);
        return draft;
    }

    private List<StepDefinition> definitions() {
        List<String> before = new ArrayList<>();
        List<StepDefinition> definitions = new ArrayList<>();
        for (StepDraft step : steps) {
            definitions.add(step.toDefinition(before));
            before.add(step.name());
        }
        return definitions;
    }
}
