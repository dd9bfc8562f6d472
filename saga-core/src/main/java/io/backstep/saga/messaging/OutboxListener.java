package io.backstep.saga.messaging;

/** Told what becomes of messages, after it was recorded. What it throws is logged and disturbs nothing; it must not block for long. */
public interface OutboxListener {
    /**
     * The broker has confirmed messages.
     *
     * @param count how many, at least 1
     */
    default void sent(int count) {}

    /**
     * A message was sent in vain, and is sent again later.
     *
     * @param row the message
     * @param failure why
     */
    default void retried(OutboxRow row, Throwable failure) {}

    /**
     * A message was sent in vain, and waits for a person. An {@link io.backstep.saga.AlertListener} is told, too.
     *
     * @param row the message
     * @param failure why
     */
    default void failed(OutboxRow row, Throwable failure) {}
}
