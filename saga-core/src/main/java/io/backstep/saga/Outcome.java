package io.backstep.saga;

/** How an attempt ended, or what became of the saga. Stored by name in the history. */
public enum Outcome {
    /** Took effect. */
    SUCCEEDED,
    /** A business no. */
    REJECTED,
    /** Failed. A remote attempt may have taken effect all the same; a transactional one has not. */
    FAILED,
    /** A transactional attempt that ended its transaction itself: what it wrote may be committed, without its record. */
    ESCAPED,
    /** Failed, after its timeout. */
    TIMED_OUT,
    /** It did not end in time, even after its timeout, and is not waited for any longer. */
    ABANDONED,
    /** Interrupted by a shutdown, or refused a start of its own by it; does not spend the retry policy. */
    INTERRUPTED,
    /** Its node was lost; another took over. */
    TAKEN_OVER,
    /** A child saga is started, and awaited. */
    STARTED,
    /** Of a condition: it does not hold, and the step is left out. Of a compensation: the definition says that nothing is to be done. */
    SKIPPED,
    /** Of a probe: the action did not take effect, and will not. */
    DID_NOT,
    /** Of a probe: it does not know. */
    UNKNOWN,
    /** The saga turned. */
    TURNED,
    /** The saga is parked. */
    PARKED,
    /** The saga goes on after it was parked. */
    RESUMED,
    /** The saga ended. */
    ENDED,
    /** The saga has another version of its definition from here on. */
    MIGRATED,
    /** Read, never written: the stored word is unknown to this version; the line's error text shows it. */
    UNREADABLE
}
