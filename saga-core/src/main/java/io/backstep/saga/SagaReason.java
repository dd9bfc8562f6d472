package io.backstep.saga;

/** Why a saga turned, or why it is parked. */
public enum SagaReason {
    /** Turned: a participant said no. */
    REJECTED(false),
    /** Turned: the attempts of a step are spent. */
    ATTEMPTS_EXHAUSTED(false),
    /** Turned: the saga's deadline has passed. */
    DEADLINE_EXCEEDED(false),
    /** Turned: it was cancelled. */
    CANCELLED(false),
    /** Turned: an operator asked for it. */
    OPERATOR(false),
    /** Turned: what a step waits for did not come in time. */
    UNANSWERED(false),
    /** Turned: the saga that started it takes it back. */
    PARENT(false),
    /** Parked: at least one compensation is spent or was rejected. */
    COMPENSATION_EXHAUSTED(true),
    /** Parked: nobody knows whether the pivot took effect. */
    PIVOT_UNKNOWN(true),
    /** Parked: a limited retriable step, or the limited confirm of a TCC step, is spent. */
    RETRIABLE_EXHAUSTED(true),
    /** Parked: a retriable step was rejected after the pivot, or the confirm of a TCC step. */
    RETRIABLE_REJECTED(true),
    /** Parked: what a step after the pivot waits for did not come in time. */
    WAIT_TIMEOUT(true),
    /** Parked: the node died again and again in the same step. */
    TAKEOVER_LIMIT(true),
    /** Parked: stored data could not be read. */
    UNREADABLE(true),
    /** Parked: the definition is known, but a stored step is not in it. */
    STEP_UNKNOWN(true),
    /** Parked: the result of a remote step is too large to store; its effect counts as done. A best-effort step parks nothing. */
    RESULT_TOO_LARGE(true),
    /**
     * Parked: the result of a remote step cannot be written as JSON, or would not read back the same; its effect counts as done. A
     * best-effort step parks nothing.
     */
    RESULT_UNREADABLE(true);

    private final boolean parks;

    SagaReason(boolean parks) {
        this.parks = parks;
    }

    /**
     * Whether it is the reason of a FAILED saga.
     *
     * @return true when it parks, false when it turns
     */
    public boolean parks() {
        return parks;
    }
}
