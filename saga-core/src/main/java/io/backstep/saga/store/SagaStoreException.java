package io.backstep.saga.store;

import io.backstep.saga.SagaException;
import org.jspecify.annotations.Nullable;

/** The store could not do it. */
public class SagaStoreException extends SagaException {
    private static final long serialVersionUID = 1L;

    /** What is known of the write that failed. */
    public enum Effect {
        /** Certainly not applied; the same write may be sent again. */
        NONE,
        /** Nobody knows: it may be applied, or may still arrive. Only a write that takes the epoch tells. */
        UNKNOWN
    }

    private final Effect effect;

    /**
     * Makes one.
     *
     * @param code {@code SAGA-DB-...}
     * @param message what failed
     * @param effect what is known of the write
     * @param cause the driver's exception, or null
     */
    public SagaStoreException(String code, String message, Effect effect, @Nullable Throwable cause) {
        super(code, message, cause);
        this.effect = effect;
    }

    /**
     * What is known of the write.
     *
     * @return the effect
     */
    public Effect effect() {
        return effect;
    }
}
