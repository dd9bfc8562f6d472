package io.backstep.saga;

/**
 * A business no, thrown by an action or a compensation. It is not retried: a rejected action turns the saga, a rejected
 * compensation needs an operator.
 */
public class StepRejectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String code;

    /**
     * Says no.
     *
     * @param code a stable code of the service's own, kept in the history
     * @param message why, for people
     */
    public StepRejectedException(String code, String message) {
        super(message);
        this.code = code;
    }

    /**
     * The service's own code.
     *
     * @return the code
     */
    public final String code() {
        return code;
    }
}
