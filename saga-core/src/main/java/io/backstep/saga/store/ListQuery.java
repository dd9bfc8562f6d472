package io.backstep.saga.store;

import io.backstep.saga.SagaStatus;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of sagas, newest first: by id, descending, byte by byte, which for ids of ours is the order of time. All
 * conditions must hold; null leaves one out.
 *
 * @param status with this status
 * @param name of the type with this name
 * @param businessKey with exactly this business key
 * @param step at this step: it is under way, waits, is unknown, or its compensation is under way, waits, or has failed, or its
 *     confirm is under way, waits, or is parked
 * @param from created at this time or later
 * @param to created before this time
 * @param before with a smaller id
 * @param ids with one of these ids
 * @param limit how many at most
 */
public record ListQuery(
        @Nullable SagaStatus status,
        @Nullable String name,
        @Nullable String businessKey,
        @Nullable String step,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable UUID before,
        @Nullable Set<UUID> ids,
        int limit) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final List<String> AT_IT =
            List.of("EXECUTING", "WAITING", "UNKNOWN", "COMPENSATING", "COMPENSATION_FAILED", "CONFIRMING");

    /** Copies the ids. */
    public ListQuery {
        ids = ids == null ? null : Set.copyOf(ids);
    }

    /**
     * Asks for a page of sagas, whatever their ids.
     *
     * @param status with this status
     * @param name of the type with this name
     * @param businessKey with exactly this business key
     * @param step at this step
     * @param from created at this time or later
     * @param to created before this time
     * @param before with a smaller id
     * @param limit how many at most
     */
    public ListQuery(
            @Nullable SagaStatus status,
            @Nullable String name,
            @Nullable String businessKey,
            @Nullable String step,
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable UUID before,
            int limit) {
        this(status, name, businessKey, step, from, to, before, null, limit);
    }

    /**
     * Asks for some sagas.
     *
     * @param ids their ids
     * @return the query
     */
    public static ListQuery of(Set<UUID> ids) {
        return new ListQuery(null, null, null, null, null, null, null, ids, ids.size());
    }

    /**
     * How encoded step states tell that a saga is at the step.
     *
     * @return texts of which they have at least one; none when there is no step, or none can have that name
     */
    public List<String> stepMarks() {
        return step == null || !NAME.matcher(step).matches()
                ? List.of()
                : AT_IT.stream()
                        .map(status -> '"' + step + "\":[\"" + status + '"')
                        .toList();
    }
}
