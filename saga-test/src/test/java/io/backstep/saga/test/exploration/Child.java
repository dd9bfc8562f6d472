package io.backstep.saga.test.exploration;

/** The child saga of one step, as far as its parent was told. What it did by its end is the {@link Effect} of the step. */
enum Child {
    /** There is none, or its end was told. */
    NONE,
    /** It runs, or is parked: its end will be told, once, unless nobody gets it moving. */
    RUNS,
    /** It has completed, and was asked to undo itself. */
    GOES_BACK
}
