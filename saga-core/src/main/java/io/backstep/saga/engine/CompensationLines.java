package io.backstep.saga.engine;

import io.backstep.saga.state.StepState;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationEntry.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How the state of a step reads in the compensation log. */
final class CompensationLines {
    private CompensationLines() {}

    static CompensationEntry entry(
            String step,
            int position,
            StepState state,
            Duration now,
            @Nullable String request,
            @Nullable String response,
            @Nullable String error) {
        Status status = status(state);
        return new CompensationEntry(
                step,
                position,
                status,
                retries(state),
                status == Status.WAITING && state.notBefore() != null
                        ? state.notBefore().minus(now)
                        : null,
                request,
                response,
                error);
    }

    /** How many attempts after the first have begun or wait. */
    static int retries(StepState state) {
        return switch (status(state)) {
            case PENDING -> 0;
            case RUNNING, WAITING, SUCCEEDED -> state.attempt() - 1;
            case FAILED -> Math.max(0, state.attempt() - 2);
        };
    }

    private static Status status(StepState state) {
        return switch (state.status()) {
            case COMPENSATING -> state.notBefore() == null ? Status.RUNNING : Status.WAITING;
            case COMPENSATED -> Status.SUCCEEDED;
            case COMPENSATION_FAILED -> Status.FAILED;
            default -> Status.PENDING;
        };
    }
}
