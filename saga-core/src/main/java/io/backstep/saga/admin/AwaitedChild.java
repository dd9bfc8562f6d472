package io.backstep.saga.admin;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.SagaStore;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A child saga whose end a step waits for.
 *
 * @param step the step
 * @param undo whether it is to be undone; else it is to complete
 * @param sagaId the child
 * @param row the child as it is; null when it is gone
 */
record AwaitedChild(
        String step, boolean undo, UUID sagaId, @Nullable InstanceRow row) {
    static AwaitedChild of(Operators.Child child, SagaStore store) {
        return new AwaitedChild(
                child.step(),
                child.undo(),
                child.sagaId(),
                store.find(child.sagaId()).orElse(null));
    }

    /** Whether nothing is to come from it but, at most, the message of its end. */
    boolean isOver() {
        return row == null || (row.status().ended() && !(undo && row.status() == SagaStatus.COMPLETED));
    }

    String shown() {
        String status = row == null ? "gone" : Seen.shown(row.status(), row.reason());
        boolean unanswered = row != null && row.status() == SagaStatus.FORCE_COMPLETED;
        return "step " + step + " waits for saga " + sagaId + (row == null ? "" : " of " + row.name())
                + (undo ? " to be undone" : "") + ", which is " + status
                + (unanswered ? ": an operator has ended it, and it answers nothing" : "");
    }
}
