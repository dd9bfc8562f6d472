package io.backstep.saga.admin;

import io.backstep.saga.SagaException;
import io.backstep.saga.SagaMigrationException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewVersion;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import java.util.UUID;

/** Moves single sagas to a later version, with a row in the audit. */
final class Moves {
    private static final String ACTION = "migrate";
    private static final int MAX_TRIES = 10;

    private final Operators operators;

    Moves(Operators operators) {
        this.operators = operators;
    }

    /** Writes nothing. */
    MigrationAnswer foresee(UUID sagaId) {
        Inspected seen = operators.store().inspect(sagaId).orElseThrow(() -> SagaAdminException.unknown(sagaId));
        try {
            return answer(seen.row(), operators.migration(seen));
        } catch (SagaMigrationException | SagaSerializationException e) {
            return refusal(seen.row(), e);
        }
    }

    MigrationAnswer move(UUID sagaId, AdminRequest request) {
        if (operators.transactions().isActive()) {
            throw SagaAdminException.insideTransaction(sagaId, ACTION);
        }
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Inspected seen = operators.store().inspect(sagaId).orElseThrow(() -> SagaAdminException.unknown(sagaId));
            try {
                OperatorWrite write = operators.migration(seen);
                if (written(seen.row(), write, request)) {
                    operators.written(sagaId);
                    return answer(seen.row(), write);
                }
            } catch (SagaMigrationException | SagaSerializationException e) {
                return refusal(seen.row(), e);
            }
        }
        throw SagaAdminException.changing(sagaId, MAX_TRIES);
    }

    /** False when the saga has changed since it was read. */
    private boolean written(InstanceRow row, OperatorWrite write, AdminRequest request) {
        return operators.inTransaction(() -> {
            boolean done = operators.store().operate(write) == Operated.DONE;
            return done && operators.store().audit(entry(row, write, request));
        });
    }

    private AuditEntry entry(InstanceRow row, OperatorWrite write, AdminRequest request) {
        return new AuditEntry(
                row.sagaId(),
                ACTION,
                request.actor(),
                request.reason(),
                false,
                Seen.shown(row.status(), row.reason()) + ", v" + row.version(),
                Seen.shown(write.mutation().status(), write.mutation().reason()) + ", v" + version(row, write),
                false,
                null,
                operators.nodeId());
    }

    private static MigrationAnswer answer(InstanceRow row, OperatorWrite write) {
        return new MigrationAnswer(row.sagaId(), row.version(), version(row, write), null, null);
    }

    private static int version(InstanceRow row, OperatorWrite write) {
        NewVersion version = write.version();
        return version == null ? row.version() : version.definition().version();
    }

    private static MigrationAnswer refusal(InstanceRow row, SagaException e) {
        return new MigrationAnswer(row.sagaId(), row.version(), row.version(), e.code(), e.getMessage());
    }
}
