package io.backstep.saga;

/** What a line of the history is about. */
public enum Phase {
    /** The question whether a step is run; SUCCEEDED when it is, SKIPPED when not. */
    CONDITION,
    /** An attempt of a step's action; of a TCC step, of its try. */
    ACTION,
    /** The question whether the action took effect, or an attempt to ask it. SUCCEEDED when it did, with its result. */
    PROBE,
    /** An attempt of a step's compensation; of a TCC step, of its cancel. */
    COMPENSATION,
    /** What a compensation waits for after it was called: SUCCEEDED when its effect is settled, with what the signal brought. */
    SETTLEMENT,
    /** An attempt to confirm a TCC step. */
    CONFIRM,
    /** The saga as a whole. */
    SAGA
}
