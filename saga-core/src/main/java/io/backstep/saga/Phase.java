package io.backstep.saga;

/** What a line of the history is about. */
public enum Phase {
    /** The question whether a step is run; SUCCEEDED when it is, SKIPPED when not. */
    CONDITION,
    /** An attempt of a step's action. */
    ACTION,
    /** An attempt of a step's compensation. */
    COMPENSATION,
    /** The saga as a whole. */
    SAGA
}
