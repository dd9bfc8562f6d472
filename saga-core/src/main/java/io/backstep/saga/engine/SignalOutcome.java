package io.backstep.saga.engine;

/** What became of a signal, as far as it can be told at once. */
public enum SignalOutcome {
    /** The step waits for it, and is told. Void if the saga turns, or another signal comes first, before its owner sees it. */
    ACCEPTED,
    /** The step does not wait yet, or the saga is parked: the signal is kept for it. */
    BUFFERED,
    /** The saga has had a message with this id; this one is dropped. */
    DUPLICATE,
    /** Nothing was sent: the step does not wait any more, and never will, or another signal is there for it. */
    TOO_LATE,
    /** There is no such saga. */
    UNKNOWN_SAGA
}
