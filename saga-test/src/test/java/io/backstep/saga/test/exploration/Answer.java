package io.backstep.saga.test.exploration;

/** What the condition of a step has answered. */
enum Answer {
    /** Nothing yet; also of a step that has none. */
    OPEN,
    /** The step is run. */
    YES,
    /** The step is left out. */
    NO
}
