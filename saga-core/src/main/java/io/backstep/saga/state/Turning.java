package io.backstep.saga.state;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Whether, when and why a saga turns. */
final class Turning {
    private final Draft draft;
    private final Plan plan;
    private final Doubts doubts;

    Turning(Draft draft, Doubts doubts) {
        this.draft = draft;
        this.plan = draft.plan();
        this.doubts = doubts;
    }

    /** Turns it, or keeps the wish while the pivot may take effect; void when it goes only one way. */
    void request(SagaReason reason) {
        if (!draft.running() || decided()) {
            return;
        }
        if (pivotMayTakeEffect()) {
            draft.turnLater(reason);
        } else {
            turn(reason);
        }
    }

    /** Turns it when its deadline has passed, or when the pivot that was waited for had no effect. */
    void check(Duration now) {
        SagaReason pending = draft.pending();
        if (pending != null) {
            request(pending);
        }
        Duration deadline = deadline();
        if (deadline != null && now.compareTo(deadline) >= 0) {
            request(SagaReason.DEADLINE_EXCEEDED);
        }
    }

    /** The deadline, while it can still make a difference. */
    @Nullable
    Duration deadline() {
        return draft.running() && draft.pending() == null && !decided() ? draft.deadline() : null;
    }

    /** Whether it goes only forward: its pivot is recorded, or without one the last step that is not best-effort. */
    boolean decided() {
        if (plan.pivot() >= 0) {
            return draft.recorded(plan.pivot());
        }
        return plan.indices().filter(i -> !plan.is(i, StepKind.BEST_EFFORT)).allMatch(draft::recorded);
    }

    private boolean pivotMayTakeEffect() {
        int pivot = plan.pivot();
        if (pivot < 0) {
            return false;
        }
        boolean called = draft.is(pivot, StepStatus.EXECUTING)
                && draft.step(pivot).phase() == Phase.ACTION
                && !plan.startsChild(pivot);
        boolean open = draft.is(pivot, StepStatus.EXECUTING) || draft.is(pivot, StepStatus.WAITING);
        return called || draft.awaitsChild(pivot) || (open && draft.step(pivot).inDoubt());
    }

    private void turn(SagaReason reason) {
        draft.turn(reason);
        doubts.settleForward();
    }
}
