package io.backstep.saga.jdbc;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Mutation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Writes a batch of mutations so that one row harms no other: all at once first; when that fails for one row's sake, each by itself.
 * Rows are taken in the order of their ids, so that two batches cannot wait for each other.
 */
final class BatchWriter {
    private static final long LOCK_WAIT_MILLIS = 200;
    private static final String VERSION = "select epoch, seq from {q}instance where saga_id = ?";
    private static final String LOCK = VERSION + " for update skip locked";

    private final Sql sql;
    private final Dialect dialect;

    BatchWriter(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    /** In the transaction of the connection; the caller commits. */
    List<Acceptance> write(Connection connection, List<Mutation> batch) throws SQLException {
        Map<UUID, Acceptance> answers = new HashMap<>();
        List<Mutation> fine = batch.stream()
                .filter(mutation -> storable(mutation, answers))
                .sorted(Comparator.comparing(mutation -> mutation.fence().sagaId()))
                .toList();
        dialect.limitLockWait(connection, LOCK_WAIT_MILLIS);
        Savepoint before = connection.setSavepoint();
        try {
            Set<UUID> written = fine.isEmpty() ? Set.of() : dialect.submit(connection, fine);
            fine.forEach(mutation -> answers.put(
                    mutation.fence().sagaId(),
                    written.contains(mutation.fence().sagaId()) ? Acceptance.ACCEPTED : Acceptance.STALE));
        } catch (SQLException e) {
            connection.rollback(before);
            if (!dialect.isLockFailure(e) && !isData(e)) {
                throw e;
            }
            for (Mutation mutation : fine) {
                answers.put(mutation.fence().sagaId(), alone(connection, mutation));
            }
        }
        return batch.stream()
                .map(mutation -> answers.getOrDefault(mutation.fence().sagaId(), Acceptance.STALE))
                .toList();
    }

    private static boolean storable(Mutation mutation, Map<UUID, Acceptance> answers) {
        IllegalArgumentException fault = StorableText.fault(mutation);
        if (fault != null) {
            answers.put(mutation.fence().sagaId(), new Acceptance(Acceptance.Kind.REFUSED, fault));
        }
        return fault == null;
    }

    private Acceptance alone(Connection connection, Mutation mutation) throws SQLException {
        if (!lock(connection, mutation.fence())) {
            return isStill(connection, mutation.fence()) ? Acceptance.LOCKED : Acceptance.STALE;
        }
        Savepoint before = connection.setSavepoint();
        try {
            boolean written = !dialect.submit(connection, List.of(mutation)).isEmpty();
            connection.releaseSavepoint(before);
            return written ? Acceptance.ACCEPTED : Acceptance.STALE;
        } catch (SQLException e) {
            connection.rollback(before);
            if (!isData(e)) {
                throw e;
            }
            return new Acceptance(Acceptance.Kind.REFUSED, e);
        }
    }

    private boolean lock(Connection connection, Fence fence) throws SQLException {
        return !sql.query(connection, LOCK, row -> true, fence.sagaId()).isEmpty();
    }

    private boolean isStill(Connection connection, Fence fence) throws SQLException {
        return sql.query(
                        connection,
                        VERSION,
                        row -> row.getLong(1) == fence.epoch() && row.getLong(2) == fence.seq(),
                        fence.sagaId())
                .contains(true);
    }

    /** Data exceptions and violated constraints are of one row; they say nothing of the others. */
    static boolean isData(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("22") || state.startsWith("23");
    }
}
