package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Posts what steps wait for, in the caller's transaction if there is one. */
final class Signals {
    /** Before the ids of senders, which else could be those of other mail. */
    private static final String PREFIX = "signal:";

    private static final int LONGEST_ID = 190;

    private final Node node;
    private final Operators operators;

    Signals(Node node, Operators operators) {
        this.node = node;
        this.operators = operators;
    }

    <R> SignalOutcome signal(UUID sagaId, Step<R> step, @Nullable R payload, String messageId) {
        String result = payload == null
                ? null
                : node.payloads
                        .keep(field(sagaId, step), "the signal for step " + step.name(), payload, step.resultType())
                        .result();
        return send(sagaId, step, new Mail.Answer(step.name(), result, null), "", messageId);
    }

    /** Where it will be kept: as the result of the step, or as the response to the compensation that awaits it. */
    private PayloadField field(UUID sagaId, Step<?> step) {
        return settledBy(sagaId, step)
                .map(settled -> PayloadField.response(sagaId, settled))
                .orElseGet(() -> PayloadField.result(sagaId, step.name()));
    }

    /** Makes a difference only to a codec, which is told where a payload is kept. */
    private Optional<String> settledBy(UUID sagaId, Step<?> step) {
        return node.payloads.encodes()
                ? operators
                        .store()
                        .inspect(sagaId)
                        .flatMap(operators::read)
                        .flatMap(saga -> saga.settledBy(step.name()))
                : Optional.empty();
    }

    SignalOutcome rejected(UUID sagaId, Step<?> step, String code, String message, String messageId) {
        SagaRequestException.requireText("code", code, Mail.Answer.LONGEST_CODE);
        SagaRequestException.requireText("message", message, Mail.LONGEST_REASON);
        String about = settledBy(sagaId, step).orElse(step.name());
        String text = node.payloads.error(PayloadField.error(sagaId, about), message);
        return send(sagaId, step, new Mail.Answer(step.name(), null, code), text, messageId);
    }

    SignalOutcome to(SagaType<?> type, String businessKey, Step<?> step, Function<UUID, SignalOutcome> send) {
        Optional<UUID> found = operators.store().find(type.name(), businessKey).map(InstanceRow::sagaId);
        if (found.isEmpty()) {
            tell(type.name(), step, SignalOutcome.UNKNOWN_SAGA);
        }
        return found.map(send).orElse(SignalOutcome.UNKNOWN_SAGA);
    }

    private SignalOutcome send(UUID sagaId, Step<?> step, Mail.Answer answer, String reason, String messageId) {
        SagaRequestException.requireText("messageId", messageId, LONGEST_ID);
        operators.requireWritable("saga " + sagaId + " cannot be sent a signal");
        Optional<Inspected> found = operators.store().inspect(sagaId);
        SignalOutcome outcome = found.map(saga ->
                        send(saga, step, new Mail(sagaId, PREFIX + messageId, Mail.Kind.SIGNAL, reason, answer)))
                .orElse(SignalOutcome.UNKNOWN_SAGA);
        tell(found.map(saga -> saga.row().name()).orElse(null), step, outcome);
        return outcome;
    }

    private void tell(@Nullable String sagaName, Step<?> step, SignalOutcome outcome) {
        operators.afterCommit(() -> node.notifier.signalled(sagaName, step.name(), outcome));
    }

    private SignalOutcome send(Inspected found, Step<?> step, Mail mail) {
        InstanceRow row = found.row();
        checkStep(row, step);
        SignalOutcome foreseen = foresee(found, step.name());
        if (foreseen == SignalOutcome.TOO_LATE) {
            return operators.store().isPosted(row.sagaId(), mail.messageId()) ? SignalOutcome.DUPLICATE : foreseen;
        }
        return operators.post(row, mail) ? foreseen : SignalOutcome.DUPLICATE;
    }

    private void checkStep(InstanceRow row, Step<?> step) {
        Registered registered = node.registry.byId(row.definitionId());
        if (registered == null) {
            return; // a node that knows it will see
        }
        SagaDefinition<?> definition = registered.definition();
        int index = definition.indexOfSignal(step.name());
        if (index < 0) {
            throw new SagaRequestException(
                    "SAGA-REQ-006", "step", definition + " has no step " + step.name() + " that waits for a signal");
        }
        Type type = definition.steps().get(index).signalType();
        if (!step.resultType().equals(type)) {
            throw new SagaRequestException(
                    "SAGA-REQ-007",
                    "payload",
                    "step " + step.name() + " of " + definition + " waits for a " + type + ", and the signal is a "
                            + step.resultType());
        }
    }

    private SignalOutcome foresee(Inspected found, String signal) {
        InstanceRow row = found.row();
        if (row.status().ended() || isAnswered(found, signal)) {
            return SignalOutcome.TOO_LATE;
        }
        Optional<StoredSaga> stored;
        Map<String, StepState> steps;
        try {
            stored = operators.read(found);
            steps = operators.steps(row);
        } catch (SagaSerializationException e) {
            return row.status() == SagaStatus.COMPENSATING ? SignalOutcome.TOO_LATE : SignalOutcome.BUFFERED;
        }
        StepState state = steps.get(signal);
        if (state == null) {
            return stored.flatMap(saga -> saga.settledBy(signal))
                    .map(step -> whenSettling(steps.get(step)))
                    .orElse(SignalOutcome.BUFFERED); // a node that knows it will see
        }
        boolean back = row.status() == SagaStatus.COMPENSATING
                || stored.filter(saga -> saga.state().turned() != null).isPresent();
        if (back) {
            return SignalOutcome.TOO_LATE;
        }
        return row.status() == SagaStatus.FAILED ? whenParked(row, state) : whenRunning(state);
    }

    /** Of a compensation that awaits it; an operator's retry lets one that has failed wait again. */
    private static SignalOutcome whenSettling(@Nullable StepState step) {
        if (step == null) {
            return SignalOutcome.BUFFERED;
        }
        return switch (step.status()) {
            case COMPENSATING -> step.awaiting() ? SignalOutcome.ACCEPTED : SignalOutcome.BUFFERED;
            case COMPENSATED, SKIPPED, REJECTED, CONFIRMING, CONFIRMED -> SignalOutcome.TOO_LATE;
            default -> SignalOutcome.BUFFERED;
        };
    }

    private static boolean isAnswered(Inspected found, String step) {
        return found.mail().stream()
                .anyMatch(letter ->
                        letter.answer() != null && letter.answer().step().equals(step));
    }

    private static SignalOutcome whenRunning(StepState step) {
        return switch (step.status()) {
            case PENDING, EXECUTING -> SignalOutcome.BUFFERED;
            case WAITING -> step.awaiting() ? SignalOutcome.ACCEPTED : SignalOutcome.BUFFERED;
            default -> SignalOutcome.TOO_LATE;
        };
    }

    /** An operator's retry lets it wait again. */
    private static SignalOutcome whenParked(InstanceRow row, StepState step) {
        boolean over = step.status() == StepStatus.SUCCEEDED || step.status() == StepStatus.SKIPPED;
        return over && row.reason() != SagaReason.UNREADABLE ? SignalOutcome.TOO_LATE : SignalOutcome.BUFFERED;
    }
}
