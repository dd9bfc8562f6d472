package io.backstep.saga.participant;

/** What a confirmation has come to; whichever it is, the action is confirmed. */
public enum ConfirmationAnswer {
    /** This call has confirmed the action. */
    DONE,
    /** An earlier call had. */
    DUPLICATE
}
