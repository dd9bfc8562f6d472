package io.backstep.saga.messaging;

/** The broker will never take this message: it is too large, there is no such topic, or nobody may write to it. It is not tried again. */
public final class MessageRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message why, for people
     */
    public MessageRefusedException(String message) {
        super(message);
    }

    /**
     * Makes an exception.
     *
     * @param message why, for people
     * @param cause the broker's exception
     */
    public MessageRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
