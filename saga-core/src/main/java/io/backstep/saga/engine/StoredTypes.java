package io.backstep.saga.engine;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.Json;
import java.util.Optional;
import java.util.stream.Stream;

/** Refuses a definition whose input or results Jackson could not write, or not read back, whatever their values. */
final class StoredTypes {
    private StoredTypes() {}

    static void check(SagaDefinition<?> definition, Json json) {
        Stream<String> input = json
                .fault(definition.type().inputType())
                .map(fault -> "saga " + definition + " has as its input " + fault)
                .stream();
        Stream<String> results = definition.steps().stream()
                .flatMap(step -> Optional.ofNullable(step.resultType())
                        .flatMap(json::fault)
                        .map(fault -> "step " + step.name() + " of saga " + definition + " has as its result " + fault)
                        .stream());
        Stream.concat(input, results)
                .reduce((one, other) -> one + "\nalso SAGA-DSL-017: " + other)
                .ifPresent(faults -> {
                    throw new SagaDefinitionException("SAGA-DSL-017", faults);
                });
    }
}
