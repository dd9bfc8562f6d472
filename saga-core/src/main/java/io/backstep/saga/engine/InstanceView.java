package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.serialization.Payloads;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A saga as it was when it was read; what few ask for is made or fetched when it is asked for. */
record InstanceView(
        UUID sagaId,
        String name,
        int version,
        @Nullable String businessKey,
        SagaStatus status,
        @Nullable SagaReason reason,
        Supplier<List<StepView>> stepViews,
        Payloads payloads,
        Supplier<Map<String, String>> results,
        Supplier<Times> times)
        implements SagaInstance {
    record Times(Instant createdAt, Instant updatedAt) {}

    @Override
    public List<StepView> steps() {
        return stepViews.get();
    }

    @Override
    public boolean ended() {
        return status.ended();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> Optional<R> result(Step<R> step) {
        String result = results.get().get(step.name());
        return result == null
                ? Optional.empty()
                : Optional.ofNullable((R) payloads.read(
                        PayloadField.result(sagaId, step.name()),
                        "the result of step " + step.name(),
                        result,
                        step.resultType()));
    }

    @Override
    public Instant createdAt() {
        return times.get().createdAt();
    }

    @Override
    public Instant updatedAt() {
        return times.get().updatedAt();
    }

    @Override
    public String toString() {
        return name + " v" + version + " " + sagaId + " " + status + (reason == null ? "" : " (" + reason + ")");
    }
}
