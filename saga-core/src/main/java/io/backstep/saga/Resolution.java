package io.backstep.saga;

/** What an operator says came of a step. */
public enum Resolution {
    /** Its action took effect; of a TCC step that is to be confirmed: it is confirmed. */
    SUCCEEDED,
    /** Its action had no effect and will have none, and is not tried again: a business no. */
    REJECTED,
    /** What it may have done is undone. */
    COMPENSATED
}
