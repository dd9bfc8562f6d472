package io.backstep.saga;

/** An instance was not moved to another version of its saga, and is as it was ({@code SAGA-MIG-...}). */
public class SagaMigrationException extends SagaException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param code the stable code
     * @param message what is in the way
     */
    public SagaMigrationException(String code, String message) {
        super(code, message, null);
    }
}
