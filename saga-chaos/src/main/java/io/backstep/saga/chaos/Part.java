package io.backstep.saga.chaos;

import io.backstep.saga.definition.StepContext;
import org.jspecify.annotations.Nullable;

/**
 * Which step the code that runs was written for, as the code itself says.
 *
 * @param definition such as "deployed v2", or null when the code does not say
 * @param step the name of the step
 */
record Part(@Nullable String definition, String step) {
    /** Code that takes the engine's word for it. */
    static Part of(StepContext<Task> context) {
        return new Part(null, context.stepName());
    }
}
