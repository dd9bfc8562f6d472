package io.backstep.saga.simulation;

import io.backstep.saga.Step;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.definition.StepKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Draws the next version of a definition, and says how instances are moved to it, as a user would. */
final class Moves {
    /** Operations that only the next version has. */
    private static final int NEW = 50;

    private Moves() {}

    /** Steps with other names, in another order, without some and with others; one that has tries stays as it is. */
    static Shape next(Shape shape, Dice dice, long unit) {
        List<StepShape> steps = new ArrayList<>(shape.steps());
        if (!shape.anyTcc()) {
            if (dice.chance(0.3)) {
                swap(steps, dice);
            }
            if (dice.chance(0.4)) {
                remove(steps, dice);
            }
            if (dice.chance(0.4)) {
                add(steps, dice, unit);
            }
        }
        double renames = shape.anyTcc() ? 0 : dice.one(0.0, 0.3, 1.0);
        List<StepShape> placed = new ArrayList<>();
        for (StepShape step : steps) {
            boolean renamed = isFree(step) && step.origin() < NEW && dice.chance(renames);
            placed.add(
                    step.moved(placed.size(), renamed ? "r" + step.origin() : step.name(), after(shape, steps, step)));
        }
        return new Shape(
                shape.name(), shape.version() + 1, placed, shape.deadline(), shape.strict(), shape.sideBySide());
    }

    /** Nothing that it waits for can be on its way. */
    private static boolean isFree(StepShape step) {
        return step.waits() == null && step.child() == null;
    }

    private static boolean canGo(StepShape step) {
        return step.is(StepKind.COMPENSATABLE) && isFree(step);
    }

    /** Two that can be undone, one behind the other. */
    private static void swap(List<StepShape> steps, Dice dice) {
        int at = dice.below(Math.max(1, steps.size() - 1));
        if (at + 1 < steps.size() && canGo(steps.get(at)) && canGo(steps.get(at + 1))) {
            Collections.swap(steps, at, at + 1);
        }
    }

    private static void remove(List<StepShape> steps, Dice dice) {
        int at = dice.below(steps.size());
        if (steps.size() > 1 && canGo(steps.get(at))) {
            steps.remove(at);
        }
    }

    private static void add(List<StepShape> steps, Dice dice, long unit) {
        int most = 0;
        while (most < steps.size()
                && !steps.get(most).is(StepKind.PIVOT)
                && !steps.get(most).is(StepKind.RETRIABLE)) {
            most++;
        }
        StepShape added = Shapes.step(dice, NEW, StepKind.COMPENSATABLE, unit);
        steps.add(dice.between(0, most), added.moved(NEW, "n" + NEW, null));
    }

    /** What it names to wait for, as far as that stands before it now. Places are still those of before. */
    private static @Nullable Set<Integer> after(Shape shape, List<StepShape> steps, StepShape step) {
        Set<Integer> named = step.after();
        if (named == null) {
            return null;
        }
        Set<Integer> origins = named.stream()
                .map(place -> shape.steps().get(place).origin())
                .collect(Collectors.toCollection(TreeSet::new));
        if (step.is(StepKind.PIVOT)) {
            origins.add(NEW);
        }
        int own = steps.indexOf(step);
        return steps.subList(0, own).stream()
                .filter(other -> origins.contains(other.origin()))
                .map(steps::indexOf)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What a step that is left out has done stays done with some, and with others it must not have begun. */
    static boolean effectStays(StepShape step) {
        return step.origin() % 2 == 0;
    }

    static SagaMigration migration(
            Shape from, Shape to, SagaDefinition<Integer> before, SagaDefinition<Integer> after) {
        SagaMigration.Builder<Integer, Integer> builder = SagaMigration.of(before, after);
        for (StepShape step : from.steps()) {
            StepShape now = to.same(step);
            if (now == null) {
                builder = effectStays(step) ? builder.withoutUndoing(step.name()) : builder.without(step.name());
            } else if (!now.name().equals(step.name())) {
                builder = step.result()
                        ? builder.result(
                                Step.named(step.name(), Integer.class),
                                Step.named(now.name(), Integer.class),
                                Function.identity())
                        : builder.renamed(step.name(), now.name());
            }
        }
        return builder.build();
    }
}
