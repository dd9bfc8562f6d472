package io.backstep.saga.messaging;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of a message that was sent.
 *
 * @param position which message
 * @param kind what became of it
 * @param failures how often it was sent in vain by now
 * @param delay after what time it may be sent again, for RETRY; else null
 * @param error why it was not sent: one line of up to 1,000 characters; null for SENT
 */
public record OutboxMark(
        long position,
        Kind kind,
        int failures,
        @Nullable Duration delay,
        @Nullable String error) {
    /** The ends of an attempt. */
    public enum Kind {
        /** The broker has confirmed it. */
        SENT,
        /** It is sent again later, and those behind it of its aggregate wait. */
        RETRY,
        /** It is not sent again by itself, and those behind it of its aggregate wait for a person. */
        FAILED
    }
}
