package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with the configuration, to tell it all at once. */
final class Faults {
    private final List<Fault> found = new ArrayList<>();

    private record Fault(String code, String text) {}

    void add(String code, String text) {
        found.add(new Fault(code, text));
    }

    <T> @Nullable T attempt(Supplier<T> part) {
        try {
            return part.get();
        } catch (SagaConfigurationException e) {
            String message = String.valueOf(e.getMessage());
            add(e.code(), message.substring(e.code().length() + 2));
            return null;
        }
    }

    /** One exception, one line for each fault; it has the code of the first. */
    void throwIfAny() {
        if (found.isEmpty()) {
            return;
        }
        StringBuilder all = new StringBuilder(found.get(0).text());
        found.stream()
                .skip(1)
                .forEach(fault -> all.append(System.lineSeparator())
                        .append(fault.code())
                        .append(": ")
                        .append(fault.text()));
        throw new SagaConfigurationException(found.get(0).code(), all.toString());
    }
}
