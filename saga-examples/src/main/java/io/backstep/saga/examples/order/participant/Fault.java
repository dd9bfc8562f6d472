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
    /** Does it, and answers 502, like a gateway that has lost the answer. A second call with the same key gets it. */
    LOSE_REPLY,
    /** Does it, and answers 502, every time. */
    LOSE_EVERY_REPLY
}
