package io.backstep.saga.simulation;

import io.backstep.saga.definition.StepKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A definition as it was drawn.
 *
 * @param name the name of the type
 * @param version the version
 * @param steps the steps
 * @param deadline nanoseconds from the start, or null
 * @param strict whether compensations stop at the first that is spent
 * @param sideBySide whether it is pure TCC, whose tries begin with it
 */
record Shape(
        String name,
        int version,
        List<StepShape> steps,
        @Nullable Long deadline,
        boolean strict,
        boolean sideBySide) {
    StepShape step(String wanted) {
        return steps.stream()
                .filter(step -> step.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new Violation("I17", name + " v" + version + " has no step " + wanted));
    }

    String nameAt(int index) {
        return steps.get(index).name();
    }

    /** The same operation in this version, or null. */
    @Nullable
    StepShape same(StepShape other) {
        return steps.stream()
                .filter(step -> step.origin() == other.origin())
                .findFirst()
                .orElse(null);
    }

    boolean anyTcc() {
        return steps.stream().anyMatch(StepShape::tcc);
    }

    /** Whether one step waits for the other, directly or not. */
    boolean comesAfter(StepShape step, StepShape earlier) {
        return steps.subList(0, step.index()).stream()
                .filter(other -> step.waitsDirectlyFor(other.index()))
                .anyMatch(other -> other.index() == earlier.index() || comesAfter(other, earlier));
    }

    int pivot() {
        for (StepShape step : steps) {
            if (step.is(StepKind.PIVOT)) {
                return step.index();
            }
        }
        return -1;
    }
}
