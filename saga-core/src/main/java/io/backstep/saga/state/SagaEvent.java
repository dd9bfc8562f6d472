package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.SagaReason;
import io.backstep.saga.definition.Retry;
import java.time.Duration;

/** Something that happened to a saga. Every event knows the time, counted from the creation of the saga. */
public sealed interface SagaEvent {
    /**
     * When it happened.
     *
     * @return the time since the creation of the saga, by the database's clock
     */
    Duration now();

    /**
     * A node has taken the saga.
     *
     * @param now when
     * @param takenOver whether another owner was lost: what was under way is in doubt then; else recorded intents were
     *     never called, and are called now
     */
    record Claimed(Duration now, boolean takenOver) implements SagaEvent {}

    /**
     * Time has passed: something may be due.
     *
     * @param now when
     */
    record TimePassed(Duration now) implements SagaEvent {}

    /**
     * An attempt succeeded; of a condition: it holds; of a probe: the action took effect.
     *
     * @param now when
     * @param step the index of the step
     * @param phase condition, action, probe, compensation or confirm
     */
    record Succeeded(Duration now, int step, Phase phase) implements SagaEvent {}

    /**
     * A condition does not hold.
     *
     * @param now when
     * @param step the index of the step
     */
    record Skipped(Duration now, int step) implements SagaEvent {}

    /**
     * A probe knows that no attempt of the action took effect, or will.
     *
     * @param now when
     * @param step the index of the step
     */
    record DidNot(Duration now, int step) implements SagaEvent {}

    /**
     * An attempt ended with a business no.
     *
     * @param now when
     * @param step the index of the step
     * @param phase condition, action, compensation or confirm
     */
    record Rejected(Duration now, int step, Phase phase) implements SagaEvent {}

    /**
     * An attempt ended without an answer: it may have taken effect, unless it was of a condition or a probe, or transactional and
     * did not escape.
     *
     * @param now when
     * @param step the index of the step
     * @param phase condition, action, probe, compensation or confirm
     * @param outcome FAILED, ESCAPED, TIMED_OUT, ABANDONED, INTERRUPTED, or of a probe that does not know UNKNOWN; INTERRUPTED does not
     *     spend the policy
     * @param retryable false when the policy excludes this failure from retries
     * @param from the moment from which the delay counts: never before the real one
     * @param random a draw for the jitter, at least 0 and less than 1
     */
    record Failed(Duration now, int step, Phase phase, Outcome outcome, boolean retryable, Duration from, double random)
            implements SagaEvent {
        /** Whether another attempt follows; the step has counted this one. */
        boolean mayRepeat(Retry policy, StepState step) {
            return interrupted() || (retryable && !policy.spent(step.failures()));
        }

        /** When the next attempt is due. */
        Duration next(Retry policy, StepState step) {
            return interrupted() ? now : from.plus(policy.delay(step.failures(), random));
        }

        private boolean interrupted() {
            return outcome == Outcome.INTERRUPTED;
        }
    }

    /**
     * What a step waits for is there. Void when the step does not wait for it: {@link Transition#early()} tells of those that have come too early.
     *
     * @param now when
     * @param step the index of the step
     * @param rejected whether it is a business no
     * @param message which message has brought it
     */
    record Answered(Duration now, int step, boolean rejected, String message) implements SagaEvent {}

    /**
     * An attempt has made the input of a child saga, which the write of this starts.
     *
     * @param now when
     * @param step the index of the step
     */
    record Started(Duration now, int step) implements SagaEvent {}

    /**
     * The child of a step has ended. Void when the step does not wait for that.
     *
     * @param now when
     * @param step the index of the step
     * @param undone whether it was compensated; else it has completed
     * @param message the id of the message that tells it
     */
    record ChildEnded(Duration now, int step, boolean undone, String message) implements SagaEvent {}

    /**
     * A recorded intent was certainly not called and will not be: the node stops.
     *
     * @param now when
     * @param step the index of the step
     * @param phase condition, action, probe, compensation or confirm
     */
    record Withdrawn(Duration now, int step, Phase phase) implements SagaEvent {}

    /**
     * A suspect may run now.
     *
     * @param now when
     * @param step the index of the step
     */
    record Admitted(Duration now, int step) implements SagaEvent {}

    /**
     * Somebody wants the saga to turn.
     *
     * @param now when
     * @param reason CANCELLED or OPERATOR; or PARENT, which also turns a saga that has completed
     */
    record TurnRequested(Duration now, SagaReason reason) implements SagaEvent {}

    /**
     * The engine found that it cannot go on, and that retrying does not help by itself; or an operator puts the saga down, to tell
     * {@link Retried} in the same write.
     *
     * @param now when
     * @param step the index of the step that cannot go on, or -1; when its attempt is under way, it is taken as one that may
     *     have taken effect, so tell {@link Withdrawn} first if it was certainly not called
     * @param reason UNREADABLE, STEP_UNKNOWN, RESULT_TOO_LARGE or RESULT_UNREADABLE; of an operator OPERATOR
     */
    record Stuck(Duration now, int step, SagaReason reason) implements SagaEvent {
        /** Whether the step is done, and only its result is missing. */
        boolean onlyResultIsMissing() {
            return reason == SagaReason.RESULT_TOO_LARGE || reason == SagaReason.RESULT_UNREADABLE;
        }
    }

    /**
     * An operator wants a parked saga to go on in the direction it had: fresh attempts, no deadline.
     *
     * @param now when
     */
    record Retried(Duration now) implements SagaEvent {}

    /**
     * An operator says what came of a step of a parked saga, which goes on when nothing else has parked it. Void when the state does not allow it,
     * see {@link SagaMachine#resolutions}; one that is not parked must be put down first, by {@link Stuck}.
     *
     * @param now when
     * @param step the index of the step
     * @param resolution what came of it
     */
    record Resolved(Duration now, int step, Resolution resolution) implements SagaEvent {}

    /**
     * An operator ends a saga that has not ended: nothing more is run, and nothing more is undone. What is under way is taken as one
     * that may have taken effect, so tell {@link Withdrawn} first if it was certainly not called.
     *
     * @param now when
     */
    record ForceCompleted(Duration now) implements SagaEvent {}
}
