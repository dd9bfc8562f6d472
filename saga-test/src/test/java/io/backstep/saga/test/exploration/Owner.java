package io.backstep.saga.test.exploration;

/** Who has the saga. */
enum Owner {
    /** A node that runs it. */
    LIVE,
    /** The same, before it has looked again at what is due, as it does with every write that withdraws an intent. */
    WAKING,
    /** A node that stops: it starts nothing, and ends what is under way. */
    CLOSING,
    /** An operator, for the one write that he makes: nothing is called before it, and nobody has it after it. */
    OPERATOR,
    /** A node that is gone, while its name still stands in the row. */
    LOST,
    /** Nobody: recorded intents were never called. */
    RELEASED,
    /** Nobody, and nothing to do: ended or parked. */
    NONE
}
