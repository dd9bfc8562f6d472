package io.backstep.saga.definition;

/** What a step promises. */
public enum StepKind {
    /** Can be undone, or says why it need not be. */
    COMPENSATABLE,
    /** The point of no return: once it is recorded the saga goes only forward. */
    PIVOT,
    /** Comes after the pivot and is retried until it succeeds. */
    RETRIABLE,
    /** Tried by its policy and then given up; never turns, parks or compensates. */
    BEST_EFFORT
}
