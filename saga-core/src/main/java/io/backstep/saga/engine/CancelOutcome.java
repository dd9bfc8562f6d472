package io.backstep.saga.engine;

/** What became of the wish to cancel a saga, as far as it can be told at once. */
public enum CancelOutcome {
    /** Asked for, or it is being undone already. Void if the saga is decided before its owner sees the wish. */
    ACCEPTED,
    /** Asked for, but it waits: for the pivot that may be taking effect, or for an operator when the saga is parked. */
    PENDING,
    /** Nothing was asked for: the saga goes only forward by now. */
    TOO_LATE,
    /** Nothing was asked for: the saga has ended. */
    ENDED,
    /** There is no such saga. */
    UNKNOWN_SAGA
}
