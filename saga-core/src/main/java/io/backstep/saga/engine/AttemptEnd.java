package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.NewInstance;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended, with what goes into the history.
 *
 * @param call what was called
 * @param outcome SUCCEEDED, STARTED, SKIPPED, DID_NOT, UNKNOWN, REJECTED, FAILED, ESCAPED, TIMED_OUT, ABANDONED or INTERRUPTED
 * @param result the encoded result, or null
 * @param error the error, or null
 * @param retryable whether the policy allows a retry of this error
 * @param transactional whether it ran in one transaction with its record: what failed had no effect
 * @param duration how long it took
 * @param child the saga that it starts, or null
 */
record AttemptEnd(
        Call call,
        Outcome outcome,
        @Nullable String result,
        @Nullable ErrorText error,
        boolean retryable,
        boolean transactional,
        Duration duration,
        @Nullable NewInstance child) {
    AttemptEnd(
            Call call,
            Outcome outcome,
            @Nullable String result,
            @Nullable ErrorText error,
            boolean retryable,
            boolean transactional,
            Duration duration) {
        this(call, outcome, result, error, retryable, transactional, duration, null);
    }

    /** A child is ready to be started. */
    static AttemptEnd started(Call call, NewInstance child, Duration duration) {
        return new AttemptEnd(call, Outcome.STARTED, null, null, true, false, duration, child);
    }

    static AttemptEnd succeeded(Call call, @Nullable String result, boolean transactional, Duration duration) {
        return new AttemptEnd(call, Outcome.SUCCEEDED, result, null, true, transactional, duration);
    }

    /** No attempt: an operator has told what came of the step. */
    static AttemptEnd settledByHand(Call call, @Nullable String result, String note) {
        ErrorText told = ErrorText.of("RESOLVED", note);
        return new AttemptEnd(call, Outcome.SUCCEEDED, result, told, false, false, Duration.ZERO);
    }

    /** A condition has answered. */
    static AttemptEnd answered(Call call, boolean holds, Duration duration) {
        Outcome outcome = holds ? Outcome.SUCCEEDED : Outcome.SKIPPED;
        return new AttemptEnd(call, outcome, null, null, true, false, duration);
    }

    /** A probe has answered. */
    static AttemptEnd probed(Call call, Probe.Answer answer, @Nullable String result, Duration duration) {
        Outcome outcome = switch (answer) {
            case TOOK_EFFECT -> Outcome.SUCCEEDED;
            case DID_NOT -> Outcome.DID_NOT;
            case UNKNOWN -> Outcome.UNKNOWN;
        };
        return new AttemptEnd(call, outcome, result, null, true, false, duration);
    }

    /**
     * The event of it.
     *
     * @param earliest the age of the saga, never later than the real one
     * @param latest the age of the saga, never earlier than the real one
     * @param random a draw for the jitter
     * @return what the machine is told
     */
    SagaEvent event(Duration earliest, Duration latest, double random) {
        int step = call.step();
        return switch (outcome) {
            case SUCCEEDED -> new SagaEvent.Succeeded(earliest, step, call.phase());
            case STARTED -> new SagaEvent.Started(earliest, step);
            case SKIPPED -> new SagaEvent.Skipped(earliest, step);
            case DID_NOT -> new SagaEvent.DidNot(earliest, step);
            case REJECTED -> new SagaEvent.Rejected(earliest, step, call.phase());
            default -> {
                SagaReason withoutResult = withoutResult();
                yield withoutResult == null
                        ? failed(earliest, latest, random)
                        : new SagaEvent.Stuck(earliest, step, withoutResult);
            }
        };
    }

    /** What is recorded of it: without its result it is a success all the same. */
    Outcome recorded() {
        return withoutResult() == null ? outcome : Outcome.SUCCEEDED;
    }

    /** It took effect, but its result cannot be kept. */
    private @Nullable SagaReason withoutResult() {
        return transactional || error == null ? null : ResultFailed.reason(error.code());
    }

    private SagaEvent failed(Duration earliest, Duration latest, double random) {
        return new SagaEvent.Failed(earliest, call.step(), call.phase(), outcome, retryable, latest, random);
    }
}
