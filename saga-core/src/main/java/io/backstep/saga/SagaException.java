package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** The base of what the library throws. Each has a stable code that starts with {@code SAGA-}. */
public abstract class SagaException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String code;

    /**
     * Makes an exception whose message starts with its code.
     *
     * @param code the stable code
     * @param message one sentence: what is wrong, where, and what is allowed
     * @param cause what led to it, or null
     */
    protected SagaException(String code, String message, @Nullable Throwable cause) {
        super(code + ": " + message, cause);
        this.code = code;
    }

    /**
     * The stable code, such as {@code SAGA-DSL-001}.
     *
     * @return the code
     */
    public final String code() {
        return code;
    }
}
