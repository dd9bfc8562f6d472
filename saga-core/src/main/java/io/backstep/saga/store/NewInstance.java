package io.backstep.saga.store;

import io.backstep.saga.SagaStatus;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A saga to insert.
 *
 * @param sagaId its id
 * @param definition what {@link SagaStore#register} returned
 * @param businessKey unique per type while the row exists, 1 to 200 characters, or null
 * @param inputHash tells one input from another, 64 hexadecimal digits
 * @param status RUNNING, or COMPLETED when the definition has nothing to do
 * @param steps the encoded step states
 * @param input the encoded input
 * @param format the format version of what is encoded
 * @param deadline counted from its creation, or null
 * @param lease whose it is at once (epoch 1); null for nobody's (epoch 0)
 * @param dueIn when it is due, counted from its creation, if it is nobody's
 * @param parent for whom it is started, or null
 */
public record NewInstance(
        UUID sagaId,
        RegisteredDefinition definition,
        @Nullable String businessKey,
        String inputHash,
        SagaStatus status,
        String steps,
        String input,
        int format,
        @Nullable Duration deadline,
        @Nullable Lease lease,
        Duration dueIn,
        @Nullable Parent parent) {
    /**
     * One that is somebody's, or due at once, and nobody's child.
     *
     * @param sagaId its id
     * @param definition what {@link SagaStore#register} returned
     * @param businessKey unique per type while the row exists, or null
     * @param inputHash tells one input from another
     * @param status its status
     * @param steps the encoded step states
     * @param input the encoded input
     * @param format the format version of what is encoded
     * @param deadline counted from its creation, or null
     * @param lease whose it is at once; null for nobody's and due at once
     */
    public NewInstance(
            UUID sagaId,
            RegisteredDefinition definition,
            @Nullable String businessKey,
            String inputHash,
            SagaStatus status,
            String steps,
            String input,
            int format,
            @Nullable Duration deadline,
            @Nullable Lease lease) {
        this(
                sagaId,
                definition,
                businessKey,
                inputHash,
                status,
                steps,
                input,
                format,
                deadline,
                lease,
                Duration.ZERO,
                null);
    }

    /**
     * When it is claimed next.
     *
     * @return the end of the lease, or when it is due; counted from its creation
     */
    public Duration due() {
        return lease == null ? dueIn : lease.duration();
    }
}
