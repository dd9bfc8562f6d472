package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The saga that a step starts instead of calling somebody; the step is done when that has ended.
 *
 * @param type its name and input
 * @param definition its definition when the step names that; null when it is of the highest version that the node knows
 * @param output the step of it whose result becomes the result of this one, or null
 */
public record ChildSaga(
        SagaType<?> type,
        @Nullable SagaDefinition<?> definition,
        @Nullable Step<?> output) {
    /**
     * The version to start.
     *
     * @return the version, or 0 for the highest
     */
    public int version() {
        return definition == null ? 0 : definition.version();
    }

    /**
     * Tells why a step cannot start a saga of some definition.
     *
     * @param step the step; this is its child
     * @param child a definition of the child's name
     * @return what is wrong, for people; empty when nothing is
     */
    public static Optional<String> fault(StepDefinition step, SagaDefinition<?> child) {
        ChildSaga asked = step.child();
        return asked == null
                ? Optional.empty()
                : asked.typeFault(child).or(() -> asked.outputFault(child)).or(() -> pivotFault(step, child));
    }

    private Optional<String> typeFault(SagaDefinition<?> child) {
        return child.type().inputType().equals(type.inputType())
                ? Optional.empty()
                : Optional.of("starts " + child + " with a " + type.inputType().getTypeName() + "; its input is a "
                        + child.type().inputType().getTypeName());
    }

    private Optional<String> outputFault(SagaDefinition<?> child) {
        if (output == null) {
            return Optional.empty();
        }
        int index = child.indexOf(output.name());
        if (index < 0) {
            return Optional.of(
                    "wants the result of step " + output.name() + " of " + child + ", which has no such step");
        }
        return output.resultType().equals(child.steps().get(index).resultType())
                ? Optional.empty()
                : Optional.of("wants a " + output.resultType().getTypeName() + " from step " + output.name() + " of "
                        + child + ", whose result is "
                        + resultType(child.steps().get(index)));
    }

    private static String resultType(StepDefinition step) {
        return step.resultType() == null ? "none" : "a " + step.resultType().getTypeName();
    }

    /**
     * Tells why a step could not be undone by a child of some definition that has completed.
     *
     * @param step the step
     * @param child a definition of the child's name
     * @return what is wrong, for people; empty when nothing is
     */
    public static Optional<String> pivotFault(StepDefinition step, SagaDefinition<?> child) {
        return child.staysCompleted() && step.undoneByChild()
                ? Optional.of("starts " + child
                        + ", which has a pivot or a TCC step: once that has completed it cannot be undone; give the"
                        + " step compensate(...), or say noCompensation(\"why\")")
                : Optional.empty();
    }
}
