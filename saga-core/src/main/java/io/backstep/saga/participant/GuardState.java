package io.backstep.saga.participant;

/** How far an operation is. Stored by name. */
public enum GuardState {
    /** The action may have taken effect: it runs, or its outcome is unknown. Only a remote one is ever seen like this. */
    STARTED,
    /** The action has taken effect. */
    DONE,
    /** The compensation came before the action: there was nothing to undo, and there never will be. */
    CANCELLED,
    /** The compensation may have taken effect: it runs, or its outcome is unknown. */
    COMPENSATING,
    /** The action is undone. */
    COMPENSATED,
    /** The confirmation may have taken effect: it runs, or its outcome is unknown. */
    CONFIRMING,
    /** The action is confirmed: it is never undone. */
    CONFIRMED;

    /**
     * Whether an action is refused from here on.
     *
     * @return true once a compensation was asked for
     */
    public boolean refusesActions() {
        return this == CANCELLED || this == COMPENSATING || this == COMPENSATED;
    }

    /**
     * Whether a compensation is refused from here on.
     *
     * @return true once a confirmation has begun
     */
    public boolean refusesCompensations() {
        return this == CONFIRMING || this == CONFIRMED;
    }
}
