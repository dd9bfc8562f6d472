package io.backstep.saga.participant;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.Step;
import io.backstep.saga.serialization.Json;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Results of an operation as they are stored. */
interface Results<R> {
    /** Of operations that have none: that they were run is all that there is to tell. */
    Results<Boolean> NONE = new Results<>() {
        @Override
        public @Nullable String write(Boolean result) {
            return null;
        }

        @Override
        public Boolean read(@Nullable String stored) {
            return true;
        }
    };

    /** JSON, or null when there is nothing to store. */
    @Nullable
    String write(R result);

    R read(@Nullable String stored);

    static void requireStorable(Step<?> operation, Json json) {
        json.fault(operation.resultType()).ifPresent(fault -> {
            throw new SagaDefinitionException(
                    "SAGA-DSL-017", "operation " + operation.name() + " has as its result " + fault);
        });
    }

    static <R> Results<R> of(Step<R> operation, Json json) {
        String what = "the result of operation " + operation.name();
        return new Results<>() {
            @Override
            public String write(R result) {
                Objects.requireNonNull(result, () -> what + " is null; a result is a value");
                return json.keep(what, result, operation.resultType()).json();
            }

            @Override
            @SuppressWarnings("unchecked") // it was written as this type
            public R read(@Nullable String stored) {
                String known = Objects.requireNonNull(stored, () -> what + " was not stored");
                return Objects.requireNonNull((R) json.read(what, known, operation.resultType()));
            }
        };
    }
}
