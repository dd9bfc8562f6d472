package io.backstep.saga.chaos;

/** How a far end answers. */
public enum Mood {
    /** Does it, and says so. */
    WELL,
    /** Does it after a while, and says so. */
    SLOW,
    /** A business no. */
    REJECTS,
    /** Does it, and the answer is lost. */
    LOSES_REPLY,
    /** Fails at the first two calls, without effect. */
    FAILS_TWICE,
    /** Fails, without effect, until an operator has mended it. */
    FAILS
}
