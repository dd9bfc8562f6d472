package io.backstep.saga.admin;

import java.util.UUID;

/**
 * An action that was accepted; its row in the audit was committed with it.
 *
 * @param sagaId the saga
 * @param action what was asked for
 * @param pending false when it is done, true when it takes effect later: after the attempt that is under way, or when the parked
 *     saga is retried
 * @param before the status before, with its reason
 * @param after the status after, with its reason; for a pending action, what is to come
 */
public record AdminAnswer(UUID sagaId, AdminAction action, boolean pending, String before, String after) {}
