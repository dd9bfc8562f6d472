package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Posts the wish to cancel a saga, in the caller's transaction if there is one. */
final class Cancels {
    /** One for each saga: more wishes to cancel it say nothing new. */
    static final String MESSAGE_ID = "cancel";

    private final Operators operators;

    Cancels(Operators operators) {
        this.operators = operators;
    }

    CancelOutcome cancel(UUID sagaId, String reason) {
        SagaRequestException.requireText("reason", reason, Mail.LONGEST_REASON);
        operators.requireWritable("saga " + sagaId + " cannot be cancelled");
        Optional<Inspected> found = operators.store().inspect(sagaId);
        if (found.isEmpty()) {
            return CancelOutcome.UNKNOWN_SAGA;
        }
        CancelOutcome foreseen = foresee(found.get());
        boolean undone = found.get().row().status() == SagaStatus.COMPENSATING;
        if (!undone && (foreseen == CancelOutcome.ACCEPTED || foreseen == CancelOutcome.PENDING)) {
            operators.post(found.get().row(), new Mail(sagaId, MESSAGE_ID, Mail.Kind.CANCEL, reason));
        }
        return foreseen;
    }

    private CancelOutcome foresee(Inspected found) {
        SagaStatus status = found.row().status();
        if (status.ended()) {
            return CancelOutcome.ENDED;
        }
        CancelOutcome unread = status == SagaStatus.FAILED ? CancelOutcome.PENDING : CancelOutcome.ACCEPTED;
        try {
            return operators.read(found).map(saga -> foresee(saga, found.age())).orElse(unread);
        } catch (SagaSerializationException e) {
            return unread;
        }
    }

    private static CancelOutcome foresee(StoredSaga saga, Duration now) {
        SagaState state = saga.state();
        if (state.status() == SagaStatus.COMPENSATING) {
            return CancelOutcome.ACCEPTED;
        }
        boolean parked = state.status() == SagaStatus.FAILED;
        List<SagaEvent> events = new ArrayList<>();
        if (parked) {
            events.add(new SagaEvent.Retried(now));
        }
        events.add(new SagaEvent.TurnRequested(now, SagaReason.CANCELLED));
        SagaState after = saga.stateAfter(events);
        if (state.turned() == null && after.turned() == null && after.pending() == null) {
            return CancelOutcome.TOO_LATE;
        }
        return parked || after.turned() == null ? CancelOutcome.PENDING : CancelOutcome.ACCEPTED;
    }
}
