package io.backstep.saga;

/** What a line of the history is about. */
public enum Phase {
    /** An attempt of a step's action. */
    ACTION,
    /** An attempt of a step's compensation. */
    COMPENSATION,
    /** The saga as a whole. */
    SAGA
}
