package io.backstep.saga.admin;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.store.InstanceRow;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A child saga whose end a step waits for.
 *
 * @param step the step
 * @param undo whether it is to be undone; else it is to complete
 * @param sagaId the child
 * @param row the child as it is; null when it is gone
 * @param known whether this node knows its version
 * @param beyondUndoing whether it is to be undone and never will be: it has completed, and had a pivot or a TCC step
 */
record AwaitedChild(
        String step, boolean undo, UUID sagaId, @Nullable InstanceRow row, boolean known, boolean beyondUndoing) {
    static AwaitedChild of(Operators.Child child, Operators operators) {
        InstanceRow row = operators.store().find(child.sagaId()).orElse(null);
        return new AwaitedChild(
                child.step(),
                child.undo(),
                child.sagaId(),
                row,
                row != null && operators.knows(row),
                row != null && child.undo() && row.status() == SagaStatus.COMPLETED && operators.isBeyondUndoing(row));
    }

    /** Whether nothing is to come from it but, at most, the message of its end. */
    boolean isOver() {
        return row == null || (row.status().ended() && !(undo && row.status() == SagaStatus.COMPLETED));
    }

    /** Whether it will never tell the step its end. */
    boolean answersNothing() {
        return row == null || row.status() == SagaStatus.FORCE_COMPLETED || beyondUndoing;
    }

    String shown() {
        String status = row == null ? "gone" : Seen.shown(row.status(), row.reason());
        return "step " + step + " waits for saga " + sagaId + (row == null ? "" : " of " + row.name())
                + (undo ? " to be undone" : "") + ", which is " + status
                + (row == null ? "" : more(row));
    }

    private String more(InstanceRow child) {
        if (child.status() == SagaStatus.FORCE_COMPLETED) {
            return ": an operator has ended it, and it answers nothing; resolve step " + step;
        }
        if (beyondUndoing) {
            return ": it had a pivot or a TCC step and is never undone; see to its effects, then resolve step " + step
                    + " as COMPENSATED, or end the waiting one by force-complete with force";
        }
        return known || isOver() ? "" : "; this node does not know " + child.name() + " v" + child.version();
    }
}
