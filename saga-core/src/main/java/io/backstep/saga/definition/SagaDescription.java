package io.backstep.saga.definition;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a definition says, without its code: to list, to compare, to show.
 *
 * @param name the name of the type
 * @param version the version
 * @param inputType the full name of the input's type
 * @param deadline how long after its start the saga turns, or null
 * @param strictCompensation whether the first compensation that is spent stops the others
 * @param steps the steps, in the order of their declaration
 */
public record SagaDescription(
        String name,
        int version,
        String inputType,
        @Nullable Duration deadline,
        boolean strictCompensation,
        List<StepDescription> steps) {
    /** Copies the list. */
    public SagaDescription {
        steps = List.copyOf(steps);
    }

    static SagaDescription of(SagaDefinition<?> definition) {
        return new SagaDescription(
                definition.name(),
                definition.version(),
                definition.type().inputType().getTypeName(),
                definition.deadline(),
                definition.strictCompensation(),
                definition.steps().stream()
                        .map(step -> StepDescription.of(step, definition.directlyBefore(step)))
                        .toList());
    }

    /**
     * The same as JSON.
     *
     * @return an object with these names in this order; durations as ISO 8601, what is absent is null,
     *     but for the confirm of steps that are no TCC steps, which is left out
     */
    public String json() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("name", name);
        object.put("version", version);
        object.put("inputType", inputType);
        object.put("deadline", deadline);
        object.put("strictCompensation", strictCompensation);
        object.put("steps", steps.stream().map(StepDescription::object).toList());
        return JsonText.of(object);
    }
}
