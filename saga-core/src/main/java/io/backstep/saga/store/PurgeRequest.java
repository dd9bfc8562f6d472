package io.backstep.saga.store;

import io.backstep.saga.SagaStatus;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks to delete finished sagas of one slice of the table.
 *
 * @param ages how long since their last write sagas are kept, by status; only statuses that have ended
 * @param typeIds of which types; what is of others is somebody else's
 * @param after the slice begins with the id that follows this one, byte by byte, or at the first when null
 * @param limit how many rows the slice has
 */
public record PurgeRequest(
        Map<SagaStatus, Duration> ages,
        Set<Integer> typeIds,
        @Nullable UUID after,
        int limit) {
    /** Copies the ages and the types. */
    public PurgeRequest {
        ages = Map.copyOf(ages);
        typeIds = Set.copyOf(typeIds);
        ages.keySet().forEach(status -> {
            if (!status.ended()) {
                throw new IllegalArgumentException("sagas that are " + status + " are never purged");
            }
        });
    }
}
