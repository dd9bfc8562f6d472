package io.backstep.saga.jdbc;

import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewVersion;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes by operators, in transactions that the application has part in. */
final class OperatorStatements {
    private static final String UPDATE = """
            update {q}instance set epoch = epoch + 1, seq = seq + 1, status = ?, reason = ?, steps = coalesce(?, steps),{version}
                owner = null, due_at = {due}, deadline = {deadline}, updated_at = {clock}
              where saga_id = ? and epoch = ? and seq = ?
            """;

    private static final String VERSION = " definition_id = ?, input = ?, input_hash = ?,";

    private static final String FREE = " and (owner is null or due_at is null or due_at <= {clock})";

    private static final String FENCE = "select epoch, seq from {q}instance where saga_id = ?";

    private final Sql sql;
    private final Dialect dialect;
    private final Records records;

    OperatorStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
        this.records = new Records(sql, dialect);
    }

    Operated operate(Connection connection, OperatorWrite write) throws SQLException {
        Failures.refuse(StorableText.fault(write.mutation()));
        try {
            return Savepoints.behind(connection, behind -> written(behind, write));
        } catch (SQLException e) {
            if (Failures.isLockedByAnother(e)) {
                throw Failures.locked(write.mutation().fence().sagaId(), e);
            }
            throw e;
        }
    }

    private Operated written(Connection connection, OperatorWrite write) throws SQLException {
        Mutation mutation = write.mutation();
        String update = UPDATE + (write.force() ? "" : FREE);
        Duration wait =
                mutation.hold().kind() == Hold.Kind.END ? null : mutation.hold().duration();
        int count = dialect.updateInside(
                connection,
                update.replace("{version}", write.version() == null ? "" : VERSION)
                        .replace("{due}", wait == null ? "null" : dialect.later())
                        .replace("{deadline}", write.liftDeadline() ? "null" : "deadline")
                        .replace("{clock}", dialect.clock()),
                values(mutation, write.version(), wait).toArray());
        if (count == 1) {
            records.write(connection, List.of(mutation));
            return Operated.DONE;
        }
        return isAsRead(connection, mutation.fence()) ? Operated.HELD : Operated.STALE;
    }

    private static List<@Nullable Object> values(
            Mutation mutation, @Nullable NewVersion version, @Nullable Duration wait) {
        List<@Nullable Object> values = new ArrayList<>();
        values.add(mutation.status().name());
        values.add(Rows.name(mutation.reason()));
        values.add(mutation.steps());
        if (version != null) {
            values.add(version.definition().definitionId());
            values.add(version.input());
            values.add(version.inputHash());
        }
        if (wait != null) {
            values.add(Rows.micros(wait));
        }
        values.add(mutation.fence().sagaId());
        values.add(mutation.fence().epoch());
        values.add(mutation.fence().seq());
        return values;
    }

    private boolean isAsRead(Connection connection, Fence fence) throws SQLException {
        return sql.query(
                        connection,
                        FENCE,
                        row -> new Fence(fence.sagaId(), row.getLong(1), row.getLong(2)),
                        fence.sagaId())
                .contains(fence);
    }
}
