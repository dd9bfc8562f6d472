package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.Parent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns sagas that have completed and that their parents want undone. Nobody holds them, so anybody may who knows their version. */
final class Undoing {
    private static final Logger log = LoggerFactory.getLogger(Undoing.class);

    private final Operators operators;

    Undoing(Operators operators) {
        this.operators = operators;
    }

    /** Later, where calls of the store may block. */
    void of(UUID sagaId) {
        operators.later(Duration.ZERO, () -> undo(sagaId));
    }

    private void undo(UUID sagaId) {
        try {
            Optional<Inspected> found =
                    operators.store().inspect(sagaId).filter(seen -> seen.row().status() == SagaStatus.COMPLETED);
            Optional<StoredSaga> stored = found.flatMap(operators::read);
            if (found.isPresent() && stored.isPresent()) {
                undo(found.get(), stored.get());
            }
        } catch (RuntimeException e) {
            log.warn(
                    "saga {} cannot be undone for its parent now; it is tried again at the next look for mail",
                    sagaId,
                    e);
        }
    }

    private void undo(Inspected found, StoredSaga stored) {
        List<SagaEvent> wish = List.of(new SagaEvent.TurnRequested(found.age(), SagaReason.PARENT));
        if (stored.stateAfter(wish).equals(stored.state())) {
            putAside(found);
            return;
        }
        StoredSaga.Change change =
                stored.after(wish, operators.results(found.row().sagaId()));
        if (isWritten(change.mutation())) {
            operators.written(stored, change, found.age());
        }
    }

    /** The wish for what is never undone: whoever found it again would have to say so again. */
    private void putAside(Inspected found) {
        InstanceRow row = found.row();
        List<String> wishes = found.mail().stream()
                .filter(letter -> letter.kind() == Mail.Kind.UNDO)
                .map(Mail::messageId)
                .toList();
        Mutation handled = new Mutation(
                new Fence(row.sagaId(), row.epoch(), row.seq()),
                row.status(),
                row.reason(),
                null,
                Hold.END,
                List.of(),
                List.of(),
                wishes,
                List.of());
        if (!wishes.isEmpty() && isWritten(handled)) {
            Parent parent = row.parent();
            log.warn(
                    "saga {} of {} v{} has completed, is decided by a pivot or confirmed, and is not undone as its parent wants: see to its"
                            + " effects, then force-complete {} with force",
                    row.sagaId(),
                    row.name(),
                    row.version(),
                    parent == null ? "that" : "saga " + parent.sagaId());
        }
    }

    private boolean isWritten(Mutation mutation) {
        OperatorWrite write = new OperatorWrite(mutation, false, false);
        return operators.inTransaction(() -> operators.store().operate(write)) == Operated.DONE;
    }
}
