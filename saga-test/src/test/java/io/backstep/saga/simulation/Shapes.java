package io.backstep.saga.simulation;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.CompensationTuningStage;
import io.backstep.saga.definition.PlacementStage;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaData;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.definition.TccTuningStage;
import io.backstep.saga.definition.TuningStage;
import io.backstep.saga.definition.WaitStage;
import io.backstep.saga.definition.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Draws definitions, and builds them as a user would. */
final class Shapes {
    /** What every condition, action and compensation does. */
    interface UserCode {
        boolean asked(SagaData<Integer> data, StepShape step);

        Probe<Integer> probed(StepContext<Integer> context, StepShape step) throws Exception;

        Integer call(StepContext<Integer> context, StepShape step, Phase phase, Optional<Integer> result)
                throws Exception;

        /** Makes the input of a child. */
        Integer child(StepContext<Integer> context, StepShape step) throws Exception;
    }

    private static final Step<Integer> OUTPUT = Step.named("s0", Integer.class);

    private Shapes() {}

    /**
     * Draws one.
     *
     * @param dice for the steps
     * @param graph for what they wait for, and their conditions
     * @param waits for which of them wait instead of calling somebody
     */
    static Shape draw(Dice dice, Dice graph, Dice waits, String name, int version, long unit, int mostSteps) {
        boolean branches = graph.chance(0.5);
        boolean conditions = graph.chance(0.4);
        int before = dice.between(0, 3) + (branches ? graph.between(0, 3) : 0);
        boolean pivot = dice.chance(0.5);
        int after = pivot ? dice.between(0, 2) : 0;
        List<StepShape> steps = new ArrayList<>();
        for (int i = 0; i < before; i++) {
            steps.add(step(dice, steps.size(), StepKind.COMPENSATABLE, unit));
            extra(dice, steps, unit);
        }
        if (pivot) {
            steps.add(step(dice, steps.size(), StepKind.PIVOT, unit));
        }
        for (int i = 0; i < after; i++) {
            steps.add(step(dice, steps.size(), StepKind.RETRIABLE, unit));
            extra(dice, steps, unit);
        }
        if (steps.isEmpty()) {
            steps.add(step(dice, 0, StepKind.COMPENSATABLE, unit));
        }
        Long deadline = dice.chance(0.25) ? dice.between(3 * unit, 20 * unit) : null;
        boolean strict = dice.chance(0.2);
        boolean waiting = waits.chance(0.4);
        List<StepShape> placed = steps.stream()
                .limit(mostSteps)
                .map(step -> step.placed(
                        branches && graph.chance(0.7) ? after(graph, steps, step) : null,
                        conditions && graph.chance(0.4)))
                .map(step -> waiting ? perhapsWaiting(waits, step) : step)
                .toList();
        boolean doubts = graph.chance(0.5);
        List<StepShape> doubting = placed.stream()
                .map(step -> step.doubting(doubts ? Doubtful.draw(graph, step) : Doubtful.NOT))
                .toList();
        return new Shape(name, version, doubting, deadline, strict, false);
    }

    private static StepShape perhapsWaiting(Dice waits, StepShape step) {
        boolean may = step.is(StepKind.COMPENSATABLE) || step.is(StepKind.RETRIABLE);
        Waiting.What what = waits.chance(0.7) ? Waiting.What.SIGNAL : Waiting.What.DELAY;
        return waits.chance(0.4) && may ? step.waiting(what) : step;
    }

    /** Draws one that others start: its first step is what they want of it. */
    static Shape drawChild(Dice dice, String name, int version, long unit, int mostSteps) {
        List<StepShape> steps = new ArrayList<>();
        int count = Math.min(dice.between(1, 3), mostSteps);
        for (int i = 0; i < count; i++) {
            StepShape step = step(dice, i, StepKind.COMPENSATABLE, unit);
            steps.add(i == 0 ? step.output() : step);
        }
        Long deadline = dice.chance(0.2) ? dice.between(3 * unit, 20 * unit) : null;
        return new Shape(name, version, steps, deadline, dice.chance(0.2), false);
    }

    /** The same shape, where some steps, but not the first of a child, start sagas. */
    static Shape withChildren(Shape shape, Dice dice, String type, int first) {
        List<StepShape> steps = shape.steps().stream()
                .map(step -> step.index() >= first
                                && step.waits() == null
                                && !step.tcc()
                                && !step.is(StepKind.BEST_EFFORT)
                                && dice.chance(0.35)
                        ? step.starting(type)
                        : step)
                .toList();
        return new Shape(shape.name(), shape.version(), steps, shape.deadline(), shape.strict(), shape.sideBySide());
    }

    /** The same shape, where some steps, or all that can be undone, are tried first and confirmed later. */
    static Shape withTries(Shape shape, Dice dice, long unit) {
        if (dice.chance(0.3)) {
            return shape;
        }
        boolean sideBySide = dice.chance(0.4);
        List<StepShape> steps = shape.steps().stream()
                .map(step -> {
                    boolean may = step.is(StepKind.COMPENSATABLE) && step.waits() == null;
                    boolean wanted = dice.chance(0.6) || sideBySide;
                    int attempts = dice.chance(0.5) ? 0 : dice.between(1, 4);
                    long delay = dice.magnitude(unit / 100, unit);
                    return may && wanted ? step.tried(new StepShape.Confirm(attempts, delay), sideBySide) : step;
                })
                .toList();
        return new Shape(shape.name(), shape.version(), steps, shape.deadline(), shape.strict(), sideBySide);
    }

    /** Some of those before it; but the pivot waits for all that can be undone, and a retriable step for the pivot. */
    private static Set<Integer> after(Dice graph, List<StepShape> steps, StepShape step) {
        double share = graph.one(0.0, 0.3, 0.6);
        Set<Integer> after = new TreeSet<>();
        for (StepShape earlier : steps.subList(0, step.index())) {
            boolean must = step.is(StepKind.PIVOT) && earlier.is(StepKind.COMPENSATABLE)
                    || step.is(StepKind.RETRIABLE) && earlier.is(StepKind.PIVOT);
            if (graph.chance(share) || must) {
                after.add(earlier.index());
            }
        }
        return after;
    }

    private static void extra(Dice dice, List<StepShape> steps, long unit) {
        if (dice.chance(0.1)) {
            steps.add(step(dice, steps.size(), StepKind.BEST_EFFORT, unit));
        }
    }

    static StepShape step(Dice dice, int index, StepKind kind, long unit) {
        boolean forever = kind == StepKind.RETRIABLE && dice.chance(0.6);
        return new StepShape(
                index,
                "s" + index,
                kind,
                kind == StepKind.COMPENSATABLE && dice.chance(0.85),
                dice.chance(0.4),
                dice.chance(0.5),
                forever ? 0 : dice.between(1, 4),
                dice.magnitude(unit / 100, unit),
                dice.between(unit / 2, 3 * unit),
                dice.between(1, 5),
                dice.magnitude(unit / 100, unit),
                dice.one(Participant.Kind.values()),
                null,
                false,
                Doubtful.NOT,
                null,
                null,
                null,
                index);
    }

    static SagaType<Integer> type(String name) {
        return SagaType.named(name, Integer.class);
    }

    static SagaDefinition<Integer> build(Shape shape, UserCode code) {
        SagaType<Integer> type = type(shape.name());
        SagaStage<Integer> saga = (shape.sideBySide() ? Tcc.define(type) : Saga.define(type)).version(shape.version());
        if (shape.deadline() != null) {
            saga = saga.deadline(Duration.ofNanos(shape.deadline()));
        }
        if (shape.strict()) {
            saga = saga.strictCompensation();
        }
        for (StepShape step : shape.steps()) {
            if (step.waits() != null) {
                saga = placed(waiting(saga, step, shape.deadline()), shape, step, code);
                continue;
            }
            if (step.tcc()) {
                saga = tuned(tried(saga, shape, step, code), step, shape.deadline());
                continue;
            }
            TuningStage<Integer> added =
                    step.result() ? withResult(saga, shape, step, code) : plain(saga, shape, step, code);
            saga = tuned(added, step, shape.deadline());
        }
        return saga.build();
    }

    private static WaitStage<Integer> waiting(SagaStage<Integer> saga, StepShape step, @Nullable Long deadline) {
        Duration time = Duration.ofNanos(timeout(step, deadline));
        return step.waitsFor(Waiting.What.SIGNAL)
                ? saga.awaitSignal(Step.named(step.name(), Integer.class), time)
                : saga.delay(step.name(), time);
    }

    static long timeout(StepShape step, @Nullable Long deadline) {
        return deadline == null ? step.timeout() : Math.min(deadline, step.timeout());
    }

    private static <S extends PlacementStage<Integer, S>> S asking(S begun, StepShape step, UserCode code) {
        return step.asks() ? begun.onlyIf(data -> code.asked(data, step)) : begun;
    }

    private static <S extends PlacementStage<Integer, S>> S placed(
            S begun, Shape shape, StepShape step, UserCode code) {
        S asking = asking(begun, step, code);
        if (step.after() == null) {
            return asking;
        }
        String[] names = step.after().stream().map(shape::nameAt).toArray(String[]::new);
        return names.length == 0 ? asking.afterStart() : asking.after(names);
    }

    private static TuningStage<Integer> tried(SagaStage<Integer> saga, Shape shape, StepShape step, UserCode code) {
        // Tcc.define says itself where its tries stand.
        if (!step.result()) {
            var begun = saga.tcc(step.name());
            var stage = (shape.sideBySide() ? asking(begun, step, code) : placed(begun, shape, step, code))
                    .tryAction(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
            if (step.doubts().probed()) {
                stage = stage.probeOutcome(c -> withoutResult(code.probed(c, step)));
            }
            return stage.confirm(c -> code.call(c, step, Phase.CONFIRM, Optional.empty()))
                    .cancel(c -> code.call(c, step, Phase.COMPENSATION, Optional.empty()));
        }
        var begun = saga.tcc(Step.named(step.name(), Integer.class));
        var stage = (shape.sideBySide() ? asking(begun, step, code) : placed(begun, shape, step, code))
                .tryAction(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
        if (step.doubts().probed()) {
            stage = step.doubts().denies()
                    ? stage.probeOutcome(c -> code.probed(c, step))
                    : stage.probe(c -> Optional.ofNullable(code.probed(c, step).result()));
        }
        return stage.confirm((c, result) -> code.call(c, step, Phase.CONFIRM, Optional.ofNullable(result)))
                .cancel((c, result) -> code.call(c, step, Phase.COMPENSATION, result));
    }

    private static TuningStage<Integer> plain(SagaStage<Integer> saga, Shape shape, StepShape step, UserCode code) {
        String name = step.name();
        if (step.child() != null) {
            var begun = switch (step.kind()) {
                case COMPENSATABLE -> saga.step(name);
                case PIVOT -> saga.pivot(name);
                default -> saga.retriable(name);
            };
            var stage = placed(begun, shape, step, code).startSaga(type(step.child()), c -> code.child(c, step));
            return step.undoable() || !step.is(StepKind.COMPENSATABLE)
                    ? stage
                    : stage.noCompensation("nothing to undo");
        }
        if (step.is(StepKind.COMPENSATABLE)) {
            var begun = placed(saga.step(name), shape, step, code);
            var stage = (step.local() ? begun.transactional() : begun)
                    .action(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
            if (step.doubts().probed()) {
                stage = stage.probeOutcome(c -> withoutResult(code.probed(c, step)));
            }
            return step.undoable()
                    ? stage.compensate(c -> code.call(c, step, Phase.COMPENSATION, Optional.empty()))
                    : stage.noCompensation("nothing to undo");
        }
        if (step.is(StepKind.BEST_EFFORT)) {
            var placed = placed(saga.bestEffort(name), shape, step, code);
            return (step.local() ? placed.transactional() : placed)
                    .action(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
        }
        var placed = placed(step.is(StepKind.PIVOT) ? saga.pivot(name) : saga.retriable(name), shape, step, code);
        var stage = (step.local() ? placed.transactional() : placed)
                .action(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
        return step.doubts().probed() ? stage.probeOutcome(c -> withoutResult(code.probed(c, step))) : stage;
    }

    private static Probe<Void> withoutResult(Probe<Integer> found) {
        return switch (found.answer()) {
            case TOOK_EFFECT -> Probe.tookEffect();
            case DID_NOT -> Probe.didNot();
            case UNKNOWN -> Probe.unknown();
        };
    }

    private static TuningStage<Integer> withResult(
            SagaStage<Integer> saga, Shape shape, StepShape step, UserCode code) {
        Step<Integer> name = Step.named(step.name(), Integer.class);
        if (step.child() != null) {
            var begun = switch (step.kind()) {
                case COMPENSATABLE -> saga.step(name);
                case PIVOT -> saga.pivot(name);
                default -> saga.retriable(name);
            };
            var stage =
                    placed(begun, shape, step, code).startSaga(type(step.child()), c -> code.child(c, step), OUTPUT);
            return step.undoable() || !step.is(StepKind.COMPENSATABLE)
                    ? stage
                    : stage.noCompensation("nothing to undo");
        }
        if (step.is(StepKind.COMPENSATABLE)) {
            var begun = placed(saga.step(name), shape, step, code);
            var stage = (step.local() ? begun.transactional() : begun)
                    .action(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
            if (step.doubts().probed()) {
                stage = step.doubts().denies()
                        ? stage.probeOutcome(c -> code.probed(c, step))
                        : stage.probe(
                                c -> Optional.ofNullable(code.probed(c, step).result()));
            }
            return step.undoable()
                    ? stage.compensate((c, result) -> code.call(c, step, Phase.COMPENSATION, result))
                    : stage.noCompensation("nothing to undo");
        }
        if (step.is(StepKind.BEST_EFFORT)) {
            var placed = placed(saga.bestEffort(name), shape, step, code);
            return (step.local() ? placed.transactional() : placed)
                    .action(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
        }
        var placed = placed(step.is(StepKind.PIVOT) ? saga.pivot(name) : saga.retriable(name), shape, step, code);
        var stage = (step.local() ? placed.transactional() : placed)
                .action(c -> code.call(c, step, Phase.ACTION, Optional.empty()));
        return step.doubts().probed() ? stage.probeOutcome(c -> code.probed(c, step)) : stage;
    }

    private static SagaStage<Integer> tuned(TuningStage<Integer> added, StepShape step, @Nullable Long deadline) {
        long timeout = timeout(step, deadline);
        TuningStage<Integer> tuned =
                added.retry(policy(step.attempts(), step.delay())).timeout(Duration.ofNanos(timeout));
        tuned = step.doubts().once() ? tuned.atMostOnce() : tuned;
        tuned = step.doubts().definite() ? tuned.rejectionIsDefinite() : tuned;
        StepShape.Confirm confirm = step.confirm();
        if (tuned instanceof TccTuningStage<Integer> tried && confirm != null) {
            tuned = tried.confirmRetry(policy(confirm.attempts(), confirm.delay()))
                    .confirmTimeout(Duration.ofNanos(timeout));
        }
        if (tuned instanceof CompensationTuningStage<Integer> undoable && step.undoable()) {
            return undoable.compensationRetry(policy(step.undoAttempts(), step.undoDelay()))
                    .compensationTimeout(Duration.ofNanos(timeout));
        }
        return tuned;
    }

    private static Retry policy(int attempts, long delay) {
        Retry retry = Retry.exponential(Duration.ofNanos(delay));
        return (attempts == 0 ? retry.forever() : retry.maxAttempts(attempts)).maxDelay(Duration.ofNanos(delay * 8));
    }
}
