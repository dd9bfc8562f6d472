package io.backstep.saga;

/** Where a step of a saga instance stands. */
public enum StepStatus {
    /** Not begun. */
    PENDING,
    /** Its call is recorded, or the question whether it is run: under way, or about to be. */
    EXECUTING,
    /**
     * An attempt ended without an answer that counts, and the next one has its time; or what it waits for has not come: an answer from
     * outside, or a moment.
     */
    WAITING,
    /** Done and recorded; never run again. */
    SUCCEEDED,
    /** Left out: its condition does not hold. Nothing to undo. */
    SKIPPED,
    /** A business no, without effect. */
    REJECTED,
    /** It may have taken effect, nobody knows. */
    UNKNOWN,
    /** Not tried any more: a best-effort step that failed, or a transactional one that never took effect. */
    GIVEN_UP,
    /** Its compensation is recorded: under way, or waiting for its next attempt. */
    COMPENSATING,
    /** Undone. */
    COMPENSATED,
    /** Its compensation is spent or was rejected; needs an operator. */
    COMPENSATION_FAILED,
    /** A TCC step whose saga is decided: its confirm is recorded, under way, or waiting for its next attempt or for an operator. */
    CONFIRMING,
    /** Its try is confirmed; never cancelled. */
    CONFIRMED
}
