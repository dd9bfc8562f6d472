package io.backstep.saga.participant;

import io.backstep.saga.SagaException;

/** It was done, and is not done again, but what came of it could not be kept: only the first caller has its result. */
public final class ResultNotKeptException extends SagaException {
    private static final long serialVersionUID = 1L;

    ResultNotKeptException(String what) {
        super("SAGA-GRD-013", what + " was done before; its result could not be kept, and is not known any more", null);
    }
}
