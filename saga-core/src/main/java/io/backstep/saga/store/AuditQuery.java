package io.backstep.saga.store;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks for rows of the audit, newest first.
 *
 * @param sagaId of this saga only, or null
 * @param requestKey with this request key only, or null
 * @param before only rows with a smaller id, or null
 * @param limit how many at most
 */
public record AuditQuery(
        @Nullable UUID sagaId,
        @Nullable String requestKey,
        @Nullable Long before,
        int limit) {}
