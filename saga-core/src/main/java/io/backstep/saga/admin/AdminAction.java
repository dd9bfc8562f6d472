package io.backstep.saga.admin;

/** What an operator can do with a saga. */
public enum AdminAction {
    /** Gets a parked saga moving in the direction that it had: fresh attempts, no deadline. */
    RETRY("retry"),
    /** The same, for a saga that is parked on its way back: runs only what is left to compensate. */
    RETRY_COMPENSATION("retry-compensation"),
    /** Turns a saga: what may have taken effect is undone. */
    COMPENSATE("compensate"),
    /** The same, for the reason that somebody does not want it any more. */
    CANCEL("cancel"),
    /** Ends a saga as it is: nothing more is run, nothing more is undone. */
    FORCE_COMPLETE("force-complete"),
    /** Says what came of one step, by {@link SagaAdmin#resolve}: the saga goes on when it was parked for that step alone. */
    RESOLVE("resolve");

    private final String code;

    AdminAction(String code) {
        this.code = code;
    }

    /**
     * Its name in addresses and in the audit.
     *
     * @return lower case, with hyphens
     */
    public String code() {
        return code;
    }
}
