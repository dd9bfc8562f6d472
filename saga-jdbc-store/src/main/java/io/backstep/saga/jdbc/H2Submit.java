package io.backstep.saga.jdbc;

import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Mutation;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The write of one mutation: history and compensation log follow only when the update counts one row. */
final class H2Submit {
    private static final String UPDATE = """
            update {q}instance set seq = seq + 1, status = ?, reason = ?, steps = coalesce(?, steps),
                owner = case when ? then null else owner end,
                due_at = case when ? then due_at else cast(? as timestamp(6) with time zone) end, updated_at = ?
              where saga_id = ? and epoch = ? and seq = ?
            """;

    private static final String HISTORY = """
            insert into {q}step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, reason, result,
                error_code, error_text, started_at, duration, node)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String COMPENSATION = """
            update {q}compensation_log set position = ?, status = ?, retry_count = ?, next_retry_at = ?, request = ?,
                response = coalesce(?, response), last_error = coalesce(?, last_error), updated_at = ?
              where saga_id = ? and step = ?
            """;

    private static final String NEW_COMPENSATION = """
            insert into {q}compensation_log (position, status, retry_count, next_retry_at, request, response, last_error,
                created_at, updated_at, saga_id, step)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private final Sql sql;

    H2Submit(Sql sql) {
        this.sql = sql;
    }

    /** False when the fence does not hold: nothing is written then. */
    boolean write(Connection connection, Mutation mutation, Instant now) throws SQLException {
        boolean fits = update(connection, mutation, now);
        if (fits) {
            record(connection, mutation, now);
        }
        return fits;
    }

    private boolean update(Connection connection, Mutation mutation, Instant now) throws SQLException {
        Fence fence = mutation.fence();
        Hold hold = mutation.hold();
        Duration wait = hold.duration();
        return sql.update(
                        connection,
                        UPDATE,
                        mutation.status().name(),
                        mutation.reason() == null ? null : mutation.reason().name(),
                        mutation.steps(),
                        hold.kind() == Hold.Kind.RELEASE || hold.kind() == Hold.Kind.END,
                        hold.kind() == Hold.Kind.KEEP,
                        H2Dialect.at(wait == null ? null : now.plus(wait)),
                        H2Dialect.at(now),
                        fence.sagaId(),
                        fence.epoch(),
                        fence.seq())
                == 1;
    }

    private void record(Connection connection, Mutation mutation, Instant now) throws SQLException {
        Fence fence = mutation.fence();
        int ordinal = 0;
        for (HistoryEntry line : mutation.history()) {
            sql.update(
                    connection,
                    HISTORY,
                    fence.sagaId(),
                    fence.seq() + 1,
                    ordinal++,
                    line.step(),
                    line.phase().name(),
                    line.attempt(),
                    line.outcome().name(),
                    line.reason() == null ? null : line.reason().name(),
                    line.result(),
                    line.errorCode(),
                    line.errorText(),
                    H2Dialect.at(now.minus(line.duration())),
                    Rows.micros(line.duration()),
                    line.node());
        }
        for (CompensationEntry entry : mutation.compensations()) {
            compensation(connection, fence.sagaId(), entry, now);
        }
    }

    private void compensation(Connection connection, UUID sagaId, CompensationEntry entry, Instant now)
            throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        values.add(entry.position());
        values.add(entry.status().name());
        values.add(entry.retryCount());
        values.add(H2Dialect.at(entry.nextRetryIn() == null ? null : now.plus(entry.nextRetryIn())));
        values.add(entry.request());
        values.add(entry.response());
        values.add(entry.lastError());
        values.add(H2Dialect.at(now));
        values.add(sagaId);
        values.add(entry.step());
        if (sql.update(connection, COMPENSATION, values.toArray()) == 0) {
            values.add(7, H2Dialect.at(now));
            sql.update(connection, NEW_COMPENSATION, values.toArray());
        }
    }
}
