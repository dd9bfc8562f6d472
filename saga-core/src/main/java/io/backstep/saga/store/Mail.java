package io.backstep.saga.store;

import io.backstep.saga.SagaStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message to a saga: a row of {@code saga_signal}. Whoever sends it never touches the saga's row; the owner merges it at its next
 * write.
 *
 * @param sagaId the saga
 * @param messageId unique per saga, 1 to 200 characters; a second message with the same id is dropped
 * @param kind what is asked for
 * @param reason why, for people, at most 500 characters; of a SIGNAL it may be encoded, and longer then
 * @param answer what a step waits for, of a SIGNAL or of the end of a CHILD; else null
 */
public record Mail(
        UUID sagaId,
        String messageId,
        Kind kind,
        String reason,
        @Nullable Answer answer) {
    /** How many characters a reason may have. */
    public static final int LONGEST_REASON = 500;

    /** How many characters a reason may have as it is stored, which may be encoded. */
    public static final int LONGEST_STORED_REASON = 3000;

    /**
     * What a step waits for.
     *
     * @param step the name of the step
     * @param result its encoded result, or null for none
     * @param code of a business no, 1 to 200 characters, whose text is the reason; null when it is none
     */
    public record Answer(
            String step, @Nullable String result, @Nullable String code) {
        /** How many characters a code may have. */
        public static final int LONGEST_CODE = 200;
    }

    /**
     * One that answers nothing.
     *
     * @param sagaId the saga
     * @param messageId unique per saga
     * @param kind what is asked for
     * @param reason why, for people
     */
    public Mail(UUID sagaId, String messageId, Kind kind, String reason) {
        this(sagaId, messageId, kind, reason, null);
    }

    /** What a message may ask for. */
    public enum Kind {
        /** The saga is to be cancelled. */
        CANCEL,
        /** An operator wants it to turn. */
        COMPENSATE,
        /** A step is told what it waits for. Kept when that does not wait yet. */
        SIGNAL,
        /** A step is told how the saga ended that it has started. */
        CHILD,
        /** Its parent, which it has completed for, wants it undone. The only mail that a COMPLETED saga still gets. */
        UNDO;

        /**
         * Whether it is still for a saga of this status.
         *
         * @param status of the saga
         * @return true until it has ended; for {@link #UNDO}, also once it is COMPLETED
         */
        public boolean isFor(SagaStatus status) {
            return !status.ended() || (this == UNDO && status == SagaStatus.COMPLETED);
        }
    }
}
