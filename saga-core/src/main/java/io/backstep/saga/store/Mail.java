package io.backstep.saga.store;

import java.util.UUID;

/**
 * A message to a saga: a row of {@code saga_signal}. Whoever sends it never touches the saga's row; the owner merges it at its next
 * write.
 *
 * @param sagaId the saga
 * @param messageId unique per saga, 1 to 200 characters; a second message with the same id is dropped
 * @param kind what is asked for
 * @param reason why, for people, at most 500 characters
 */
public record Mail(UUID sagaId, String messageId, Kind kind, String reason) {
    /** How many characters a reason may have. */
    public static final int LONGEST_REASON = 500;

    /** What a message may ask for. */
    public enum Kind {
        /** The saga is to be cancelled. */
        CANCEL,
        /** An operator wants it to turn. */
        COMPENSATE
    }
}
