package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What the cases of operators' calls share. */
abstract class OperatorRows extends StoreCases {
    OperatorRows(SagaStoreContract contract) {
        super(contract);
    }

    // --- sagas

    /** A saga that ended or is parked, or is nobody's for an hour, with epoch 1 and seq 1. */
    final UUID written(SagaStatus status) {
        return written(owned(LEASE_A), status);
    }

    final UUID written(NewInstance saga, SagaStatus status) {
        insert(saga);
        Hold hold = status.active() ? Hold.release(LONG) : Hold.END;
        long epoch = saga.lease() == null ? 0 : 1;
        assertThat(submit(write(saga.sagaId(), epoch, 0, status, hold))).isEqualTo(Acceptance.ACCEPTED);
        return saga.sagaId();
    }

    final Inspected inspected(UUID sagaId) {
        return store().inspect(sagaId).orElseThrow();
    }

    // --- mail

    static Mail mail(UUID sagaId, String messageId) {
        return new Mail(sagaId, messageId, Mail.Kind.CANCEL, "because of " + messageId);
    }

    final boolean post(UUID sagaId, String messageId) {
        return inTransaction(() -> store().post(mail(sagaId, messageId)));
    }

    static Mutation merging(UUID sagaId, long epoch, long seq, String... messageIds) {
        return new Mutation(
                new Fence(sagaId, epoch, seq),
                SagaStatus.RUNNING,
                null,
                null,
                Hold.KEEP,
                List.of(),
                List.of(),
                List.of(messageIds),
                List.of());
    }

    // --- operators' writes

    static OperatorWrite revive(UUID sagaId, long epoch, long seq, HistoryEntry... history) {
        Mutation mutation = write(
                new Fence(sagaId, epoch, seq),
                SagaStatus.COMPENSATING,
                Hold.release(Duration.ZERO),
                List.of(history),
                List.of());
        return new OperatorWrite(mutation, false, false);
    }

    static OperatorWrite end(UUID sagaId, long epoch, long seq) {
        Mutation mutation = write(sagaId, epoch, seq, SagaStatus.FORCE_COMPLETED, Hold.END);
        return new OperatorWrite(mutation, false, false);
    }

    static OperatorWrite forced(OperatorWrite write) {
        return new OperatorWrite(write.mutation(), true, write.liftDeadline());
    }

    final Operated operate(OperatorWrite write) {
        return inTransaction(() -> store().operate(write));
    }

    // --- audit

    static AuditEntry entry(UUID sagaId, @Nullable String requestKey) {
        return entry(sagaId, requestKey, "ada", "the participant is mended");
    }

    static AuditEntry entry(UUID sagaId, @Nullable String requestKey, String actor, String reason) {
        return new AuditEntry(
                sagaId,
                "retry-compensation",
                actor,
                reason,
                true,
                "FAILED (" + SagaReason.COMPENSATION_EXHAUSTED + ")",
                "COMPENSATING",
                false,
                requestKey,
                "node-a");
    }

    final boolean audit(AuditEntry entry) {
        return inTransaction(() -> store().audit(entry));
    }

    // --- transactions

    /** Runs it in a transaction that is rolled back afterwards. */
    final void rolledBack(Callable<?> work) {
        class Back extends Exception {
            private static final long serialVersionUID = 1L;
        }
        try {
            contract.transactions().inTransaction(() -> {
                work.call();
                throw new Back();
            });
        } catch (Back expected) {
            return;
        } catch (Exception e) {
            throw new AssertionError("the transaction failed", e);
        }
    }

    /** What another thread sees. */
    final <T> T elsewhere(Callable<T> look) {
        return Answer.await(Together.start(look));
    }
}
