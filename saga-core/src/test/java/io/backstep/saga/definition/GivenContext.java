package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A context for a lambda that is called by hand. */
record GivenContext<I>(UUID sagaId, String stepName, I input, Map<String, Object> results) implements StepContext<I> {
    static StepContext<Object> of(String stepName, Object input) {
        return new GivenContext<>(new UUID(0, 1), stepName, input, Map.of());
    }

    StepContext<Object> erased() {
        return new GivenContext<>(sagaId, stepName, input, results);
    }

    @Override
    public String sagaName() {
        return "given";
    }

    @Override
    public String businessKey() {
        return null;
    }

    @Override
    public <R> R result(Step<R> step) {
        return findResult(step).orElseThrow();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> Optional<R> findResult(Step<R> step) {
        return Optional.ofNullable((R) results.get(step.name()));
    }

    @Override
    public String idempotencyKey() {
        return sagaId + ":" + stepName;
    }

    @Override
    public String operationKey() {
        return idempotencyKey() + ":action";
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public Duration remaining() {
        return Duration.ofMinutes(1);
    }

    @Override
    public long epoch() {
        return 1;
    }

    @Override
    public boolean isOwner() {
        return true;
    }
}
