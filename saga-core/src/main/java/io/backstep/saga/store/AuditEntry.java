package io.backstep.saga.store;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code saga_audit} to append: an operator's action that was accepted.
 *
 * @param sagaId the saga
 * @param action what was asked for, such as {@code retry-compensation}; at most 40 characters
 * @param actor who, 1 to 200 characters
 * @param reason why, 1 to 500 characters
 * @param forced whether a lease was broken, if there was one
 * @param before the status before, with its reason
 * @param after the status after, with its reason
 * @param accepted whether it was only accepted and takes effect later, by mail
 * @param requestKey tells a repeated request; unique per saga, 1 to 200 characters, or null
 * @param node the id of the node that did it
 */
public record AuditEntry(
        UUID sagaId,
        String action,
        String actor,
        String reason,
        boolean forced,
        String before,
        String after,
        boolean accepted,
        @Nullable String requestKey,
        String node) {}
