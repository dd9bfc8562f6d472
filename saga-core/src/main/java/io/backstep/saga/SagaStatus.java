package io.backstep.saga;

/** Where a saga instance stands. */
public enum SagaStatus {
    /** Going forward. */
    RUNNING,
    /** Turned: what may have taken effect is being undone. */
    COMPENSATING,
    /** Ended: every step is done. */
    COMPLETED,
    /** Ended: everything that may have taken effect is undone. */
    COMPENSATED,
    /** Ended by an operator, with a reason in the audit. */
    FORCE_COMPLETED,
    /** Parked: needs an operator. Not ended, and never reported as undone. */
    FAILED;

    /**
     * Whether the engine has work to do on it; exactly these rows have a due time.
     *
     * @return true for RUNNING and COMPENSATING
     */
    public boolean active() {
        return this == RUNNING || this == COMPENSATING;
    }

    /**
     * Whether it is over for good.
     *
     * @return true for COMPLETED, COMPENSATED and FORCE_COMPLETED
     */
    public boolean ended() {
        return this == COMPLETED || this == COMPENSATED || this == FORCE_COMPLETED;
    }
}
