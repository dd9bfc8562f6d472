package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** A saga definition is wrong; thrown while it is built or registered, never while it runs ({@code SAGA-DSL-...}, {@code SAGA-DEF-...}). */
public class SagaDefinitionException extends SagaException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one without a cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     */
    public SagaDefinitionException(String code, String message) {
        super(code, message, null);
    }

    /**
     * Makes one with its cause.
     *
     * @param code the stable code
     * @param message what is wrong, where, and what is allowed
     * @param cause what led to it, or null
     */
    public SagaDefinitionException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
