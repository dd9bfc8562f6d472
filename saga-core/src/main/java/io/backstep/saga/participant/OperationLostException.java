package io.backstep.saga.participant;

import io.backstep.saga.SagaException;

/**
 * The call took longer than it may, and another one has taken the operation over meanwhile: what this one has done is not recorded,
 * and what the other one records counts.
 */
public final class OperationLostException extends SagaException {
    private static final long serialVersionUID = 1L;

    OperationLostException(String what) {
        super(
                "SAGA-GRD-004",
                what + " took too long: another call has taken it over, and this one is not recorded",
                null);
    }
}
