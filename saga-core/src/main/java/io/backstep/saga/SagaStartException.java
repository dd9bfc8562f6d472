package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** A saga was not started, and nothing of it was stored ({@code SAGA-START-...}). */
public class SagaStartException extends SagaException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one without a cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     */
    public SagaStartException(String code, String message) {
        super(code, message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     * @param cause what led to it, or null
     */
    public SagaStartException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
