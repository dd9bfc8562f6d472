package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
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
                        .keep(
                                PayloadField.result(sagaId, step.name()),
                                "the signal for step " + step.name(),
                                payload,
                                step.resultType())
                        .result();
        return send(sagaId, step, new Mail.Answer(step.name(), result, null), "", messageId);
    }

    SignalOutcome rejected(UUID sagaId, Step<?> step, String code, String message, String messageId) {
        SagaRequestException.requireText("code", code, Mail.Answer.LONGEST_CODE);
        SagaRequestException.requireText("message", message, Mail.LONGEST_REASON);
        String text = node.payloads.error(PayloadField.error(sagaId, step.name()), message);
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
        int index = definition.indexOf(step.name());
        StepDefinition known = index < 0 ? null : definition.steps().get(index);
        Waiting waiting = known == null ? null : known.waiting();
        if (known == null || waiting == null || waiting.what() != Waiting.What.SIGNAL) {
            throw new SagaRequestException(
                    "SAGA-REQ-006", "step", definition + " has no step " + step.name() + " that waits for a signal");
        }
        if (!step.resultType().equals(known.resultType())) {
            throw new SagaRequestException(
                    "SAGA-REQ-007",
                    "payload",
                    "step " + step.name() + " of " + definition + " waits for a " + known.resultType()
                            + ", and the signal is a " + step.resultType());
        }
    }

    private SignalOutcome foresee(Inspected found, String step) {
        InstanceRow row = found.row();
        if (row.status().ended() || row.status() == SagaStatus.COMPENSATING || isAnswered(found, step)) {
            return SignalOutcome.TOO_LATE;
        }
        Map<String, StepState> steps;
        try {
            if (operators
                    .read(found)
                    .filter(saga -> saga.state().turned() != null)
                    .isPresent()) {
                return SignalOutcome.TOO_LATE;
            }
            steps = operators.steps(row);
        } catch (SagaSerializationException e) {
            return SignalOutcome.BUFFERED;
        }
        StepState state = steps.get(step);
        if (state == null) {
            throw new SagaRequestException(
                    "SAGA-REQ-006", "step", row.name() + " v" + row.version() + " has no step " + step);
        }
        return row.status() == SagaStatus.FAILED ? whenParked(row, state) : whenRunning(state);
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
