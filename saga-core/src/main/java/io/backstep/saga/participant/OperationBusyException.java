package io.backstep.saga.participant;

import io.backstep.saga.SagaException;
import org.jspecify.annotations.Nullable;

/**
 * Another call for the same operation is not over yet, or its outcome is awaited: come back later with the same id. This call has
 * done nothing.
 */
public final class OperationBusyException extends SagaException {
    private static final long serialVersionUID = 1L;

    private final boolean transactionLost;

    /**
     * Makes one.
     *
     * @param what what is busy, for people
     * @param transactionLost whether the transaction can only be rolled back, and the same may go well at once in a new one
     * @param cause what the database said, or null
     */
    public OperationBusyException(String what, boolean transactionLost, @Nullable Throwable cause) {
        super(
                "SAGA-GRD-002",
                what
                        + (transactionLost
                                ? "; the database let another transaction go first: roll this one back and try again"
                                : "; try again later"),
                cause);
        this.transactionLost = transactionLost;
    }

    /**
     * Whether the database has chosen this transaction to yield (a deadlock, a serialization failure).
     *
     * @return true when it can only be rolled back
     */
    public boolean transactionLost() {
        return transactionLost;
    }
}
