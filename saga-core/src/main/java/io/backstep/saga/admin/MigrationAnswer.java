package io.backstep.saga.admin;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whether a saga is moved to a later version, or could be.
 *
 * @param sagaId the saga
 * @param from its version before
 * @param to the version that it has, or would get; the same when it cannot be moved
 * @param code why not: a code {@code SAGA-MIG-...}, {@code SAGA-SER-...} or {@code SAGA-DEF-009}; null when it can
 * @param why the same for people, or null
 */
public record MigrationAnswer(
        UUID sagaId,
        int from,
        int to,
        @Nullable String code,
        @Nullable String why) {
    /**
     * Whether nothing is in the way.
     *
     * @return true when it is moved, or could be
     */
    public boolean possible() {
        return code == null;
    }
}
