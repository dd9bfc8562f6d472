package io.backstep.saga.store;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a list shows of a saga; never its payload. A word that this version does not know is shown as {@code FAILED} with {@code
 * UNREADABLE}.
 *
 * @param sagaId its id
 * @param name the name of its type
 * @param version the version that it started with
 * @param businessKey its business key, or null
 * @param status its status
 * @param reason why it turned or is parked, or null
 * @param owner who holds the lease, or null
 * @param dueAt when it is claimed next, or null
 * @param createdAt when it was inserted
 * @param updatedAt when it was last written
 */
public record InstanceSummary(
        UUID sagaId,
        String name,
        int version,
        @Nullable String businessKey,
        SagaStatus status,
        @Nullable SagaReason reason,
        @Nullable String owner,
        @Nullable Instant dueAt,
        Instant createdAt,
        Instant updatedAt) {}
