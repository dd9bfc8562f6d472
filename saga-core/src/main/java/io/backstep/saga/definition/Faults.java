package io.backstep.saga.definition;

import io.backstep.saga.SagaDefinitionException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with a definition, so that it is told at once. */
final class Faults {
    private record Fault(String code, String message) {}

    private final List<Fault> found = new ArrayList<>();

    void add(String code, String where, String what) {
        found.add(new Fault(code, where + ' ' + what));
    }

    void throwIfAny() {
        if (found.isEmpty()) {
            return;
        }
        StringBuilder message = new StringBuilder(found.get(0).message());
        found.stream()
                .skip(1)
                .forEach(fault -> message.append("\nalso ")
                        .append(fault.code())
                        .append(": ")
                        .append(fault.message()));
        throw new SagaDefinitionException(found.get(0).code(), message.toString());
    }

    static <T> T present(@Nullable T argument, String where, String verb) {
        if (argument == null) {
            throw new SagaDefinitionException("SAGA-DSL-020", where + " has null in " + verb + "; a value is needed");
        }
        return argument;
    }
}
