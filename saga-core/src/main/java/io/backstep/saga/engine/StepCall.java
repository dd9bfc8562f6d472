package io.backstep.saga.engine;

import io.backstep.saga.Phase;
import io.backstep.saga.Step;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.state.Call;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt is told.
 *
 * @param payloads reads results
 * @param definition the definition
 * @param sagaId the saga
 * @param businessKey its key, or null
 * @param input its decoded input
 * @param results the encoded results so far, by step
 * @param call what is called
 * @param epoch the fencing token
 * @param keyName the name of the step in its key
 * @param timeLeft tells how long it may still take
 * @param owner tells whether the lease lasts
 */
record StepCall(
        Payloads payloads,
        SagaDefinition<?> definition,
        UUID sagaId,
        @Nullable String businessKey,
        Object input,
        Map<String, String> results,
        Call call,
        long epoch,
        String keyName,
        Supplier<Duration> timeLeft,
        BooleanSupplier owner)
        implements StepContext<Object> {
    StepDefinition step() {
        return definition.steps().get(call.step());
    }

    /** The result of the step itself, for its compensation or its confirm. */
    Optional<Object> ownResult() {
        Type type = step().resultType();
        return type == null ? Optional.empty() : read(step().name(), type);
    }

    @Override
    public String sagaName() {
        return definition.name();
    }

    @Override
    public <R> R result(Step<R> step) {
        return findResult(step).orElseGet(() -> nothing(step));
    }

    /** An {@code Optional} is empty then, unless nobody knows yet. */
    @SuppressWarnings("unchecked")
    private <R> R nothing(Step<R> step) {
        boolean mayRunBeside = call.phase() != Phase.COMPENSATION
                && definition.indexOf(step.name()) >= 0
                && !definition.comesAfter(step().name(), step.name());
        Object nothing = mayRunBeside ? null : payloads.nothing(step.resultType());
        if (nothing == null) {
            throw new NoSuchElementException("step " + step.name() + " of " + definition + " has no result"
                    + (mayRunBeside ? "; step " + step().name() + " does not wait for it" : ""));
        }
        return (R) nothing;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> Optional<R> findResult(Step<R> step) {
        return (Optional<R>) read(step.name(), step.resultType());
    }

    private Optional<Object> read(String name, Type type) {
        String result = results.get(name);
        if (result == null) {
            return Optional.empty();
        }
        return Optional.ofNullable(
                payloads.read(PayloadField.result(sagaId, name), "the result of step " + name, result, type));
    }

    @Override
    public String stepName() {
        return step().name();
    }

    @Override
    public String idempotencyKey() {
        return sagaId + ":" + keyName;
    }

    @Override
    public String operationKey() {
        String operation = switch (call.phase()) {
            case COMPENSATION -> ":compensation";
            case CONFIRM -> ":confirm";
            default -> ":action";
        };
        return idempotencyKey() + operation;
    }

    @Override
    public int attempt() {
        return call.attempt();
    }

    @Override
    public Duration remaining() {
        Duration left = timeLeft.get();
        return left.isNegative() ? Duration.ZERO : left;
    }

    @Override
    public boolean isOwner() {
        return owner.getAsBoolean();
    }
}
