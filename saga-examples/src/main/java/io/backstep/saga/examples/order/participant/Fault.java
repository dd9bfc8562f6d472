package io.backstep.saga.examples.order.participant;

/** What a participant does wrong. */
enum Fault {
    /** Nothing. */
    NONE,
    /** Answers 422: a business no. Only a payment can be declined; for the others it is the same as FAIL. */
    DECLINE,
    /** Answers 503, without any effect. */
    FAIL,
    /** Waits, at most ten minutes, for the switch to be moved, and only then does it: a late action. */
    HANG,
    /** Does it, and breaks the connection instead of answering; a second call with the same key gets its answer. */
    LOSE_REPLY,
    /** Does it, and breaks the connection instead of answering, every time. */
    LOSE_EVERY_REPLY
}
