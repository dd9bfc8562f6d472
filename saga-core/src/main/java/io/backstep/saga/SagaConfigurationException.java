package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** The engine or its surroundings are set up wrongly; thrown at start-up ({@code SAGA-CFG-...}). */
public class SagaConfigurationException extends SagaException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one without a cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     */
    public SagaConfigurationException(String code, String message) {
        super(code, message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     * @param cause what led to it, or null
     */
    public SagaConfigurationException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
