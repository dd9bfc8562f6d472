package io.backstep.saga.store;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code saga_instance}, with the name and version of its definition. Instants are the database's, in microseconds.
 *
 * @param sagaId its id
 * @param definitionId the id of its definition
 * @param name the name of its type
 * @param version the version that it started with
 * @param parent for whom it was started, or null
 * @param businessKey its business key, or null
 * @param inputHash the hash of its input
 * @param status its status
 * @param reason why it turned or is parked, or null
 * @param steps the encoded step states
 * @param input the encoded input
 * @param format the format version of what is encoded
 * @param epoch the fencing token
 * @param seq the number of writes by its owners
 * @param owner who holds the lease, or null
 * @param dueAt when it is claimed next; the end of the lease while it has an owner; null unless RUNNING or COMPENSATING
 * @param deadline when it turns by itself, or null
 * @param createdAt when it was inserted
 * @param updatedAt when it was last written
 */
public record InstanceRow(
        UUID sagaId,
        int definitionId,
        String name,
        int version,
        @Nullable Parent parent,
        @Nullable String businessKey,
        String inputHash,
        SagaStatus status,
        @Nullable SagaReason reason,
        String steps,
        String input,
        int format,
        long epoch,
        long seq,
        @Nullable String owner,
        @Nullable Instant dueAt,
        @Nullable Instant deadline,
        Instant createdAt,
        Instant updatedAt) {
    /**
     * The same row with another form of its input.
     *
     * @param other such as the decoded input, for somebody who may see it
     * @return a changed copy
     */
    public InstanceRow withInput(String other) {
        return new InstanceRow(
                sagaId,
                definitionId,
                name,
                version,
                parent,
                businessKey,
                inputHash,
                status,
                reason,
                steps,
                other,
                format,
                epoch,
                seq,
                owner,
                dueAt,
                deadline,
                createdAt,
                updatedAt);
    }
}
