package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** Data could not be written as JSON, or read back from it ({@code SAGA-SER-...}). */
public class SagaSerializationException extends SagaException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one without a cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     */
    public SagaSerializationException(String code, String message) {
        super(code, message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     * @param cause what led to it, or null
     */
    public SagaSerializationException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
