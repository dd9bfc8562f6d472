package io.backstep.saga.participant;

/** What a compensation has come to; whichever it is, the compensation has succeeded. */
public enum CompensationAnswer {
    /** This call has undone the action. */
    DONE,
    /** An earlier call had. */
    DUPLICATE,
    /** The action has never taken effect, and never will. */
    EMPTY
}
