package io.backstep.saga.jdbc;

import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What goes with a write of a saga's row: history, compensation log, mail, children. Row by row, the same on every database. */
final class Records {
    private static final String HISTORY = """
            insert into {q}step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, reason, result,
                error_code, error_text, started_at, duration, node)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {later}, ?, ?)
            """;

    private static final String COMPENSATION = """
            update {q}compensation_log set position = ?, status = ?, retry_count = ?, request = ?,
                response = coalesce(?, response), last_error = coalesce(?, last_error), next_retry_at = {next},
                updated_at = {clock}
              where saga_id = ? and step = ?
            """;

    private static final String NEW_COMPENSATION = """
            insert into {q}compensation_log (position, status, retry_count, request, response, last_error, next_retry_at,
                created_at, updated_at, saga_id, step)
              values (?, ?, ?, ?, ?, ?, {next}, {clock}, {clock}, ?, ?)
            """;

    private static final String DUPLICATE = "23505";

    private final Sql sql;
    private final Dialect dialect;
    private final MailStatements mail;

    Records(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
        this.mail = new MailStatements(sql, dialect);
    }

    /** After the rows have been updated. */
    void write(Connection connection, List<Mutation> written) throws SQLException {
        List<@Nullable Object[]> lines = new ArrayList<>();
        written.forEach(mutation -> addLines(mutation, lines));
        sql.updateAll(connection, HISTORY.replace("{later}", dialect.later()), lines);
        for (Mutation mutation : written) {
            UUID sagaId = mutation.fence().sagaId();
            for (CompensationEntry entry : mutation.compensations()) {
                compensation(connection, sagaId, entry);
            }
            mail.handled(connection, mutation);
            start(connection, mutation.children());
            for (Mail post : mutation.posts()) {
                mail.post(connection, post);
            }
        }
    }

    private void start(Connection connection, List<NewInstance> children) throws SQLException {
        if (!children.isEmpty()
                && dialect.insert(connection, children, Dialect.Place.INSIDE).size() < children.size()) {
            throw new SQLException("there is a saga with the id of a child already", DUPLICATE);
        }
    }

    private static void addLines(Mutation mutation, List<@Nullable Object[]> lines) {
        int ordinal = 0;
        for (HistoryEntry line : mutation.history()) {
            lines.add(line(mutation.fence(), ordinal++, line));
        }
    }

    private static @Nullable Object[] line(Fence fence, int ordinal, HistoryEntry line) {
        long micros = Rows.micros(line.duration());
        return new @Nullable Object[] {
            fence.sagaId(),
            fence.seq() + 1,
            ordinal,
            line.step(),
            line.phase().name(),
            line.attempt(),
            line.outcome().name(),
            Rows.name(line.reason()),
            line.result(),
            line.errorCode(),
            line.errorText(),
            -micros,
            micros,
            line.node()
        };
    }

    private void compensation(Connection connection, UUID sagaId, CompensationEntry entry) throws SQLException {
        Duration next = entry.nextRetryIn();
        List<@Nullable Object> values = new ArrayList<>();
        values.add(entry.position());
        values.add(entry.status().name());
        values.add(entry.retryCount());
        values.add(entry.request());
        values.add(entry.response());
        values.add(entry.lastError());
        if (next != null) {
            values.add(Rows.micros(next));
        }
        values.add(sagaId);
        values.add(entry.step());
        Object[] all = values.toArray();
        if (sql.update(connection, with(COMPENSATION, next), all) == 0) {
            sql.update(connection, with(NEW_COMPENSATION, next), all);
        }
    }

    private String with(String statement, @Nullable Duration next) {
        return statement
                .replace("{next}", next == null ? "null" : dialect.later())
                .replace("{clock}", dialect.clock());
    }
}
