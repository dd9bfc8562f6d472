package io.backstep.saga.store;

/** What became of an {@link OperatorWrite}. */
public enum Operated {
    /** Written. */
    DONE,
    /** Nothing was written: somebody's lease lasts. */
    HELD,
    /** Nothing was written: the row has changed since it was read, or is gone. */
    STALE
}
