package io.backstep.saga;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Something that a person must look at. Sent after the record of it is committed.
 *
 * @param code the stable code: {@code SAGA-ALERT-001} (saga parked), {@code SAGA-ALERT-002} (compensation failed) or {@code SAGA-ALERT-003} (message
 *     of the outbox not sent)
 * @param sagaId the saga; of a message that is not sent, the message's id
 * @param sagaName the name of its type; of a message that is not sent, the type of its aggregate
 * @param step the step that it is about, or null
 * @param reason why the saga is parked, or null while it still goes on
 * @param message one line for people: what happened, and what happens next
 */
public record Alert(
        String code,
        UUID sagaId,
        String sagaName,
        @Nullable String step,
        @Nullable SagaReason reason,
        String message) {}
