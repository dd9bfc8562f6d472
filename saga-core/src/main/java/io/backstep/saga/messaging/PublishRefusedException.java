package io.backstep.saga.messaging;

import io.backstep.saga.SagaException;

/** A message was to be published where it could not be part of a transaction; nothing is stored. */
public final class PublishRefusedException extends SagaException {
    private static final long serialVersionUID = 1L;

    PublishRefusedException(String code, String message) {
        super(code, message, null);
    }
}
