package io.backstep.saga.jdbc;

import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The reading statements, the same on every database. */
final class Reads {
    private static final String INSTANCE = """
            select i.saga_id, i.definition_id, d.name, d.version, i.business_key, i.input_hash, i.status, i.reason, i.steps,
                i.input, i.format, i.epoch, i.seq, i.owner, i.due_at, i.deadline, i.created_at, i.updated_at, {clock} as clock
              from {q}instance i join {q}definition d on d.id = i.definition_id
            """;

    private static final String BY_ID = INSTANCE + " where i.saga_id = ?";

    private static final String BY_KEY = INSTANCE + " where i.type_id = ? and i.business_key = ?";

    private static final String BY_NAME_AND_KEY =
            INSTANCE + " where i.type_id = (select t.id from {q}type t where t.name = ?) and i.business_key = ?";

    private static final String RESULTS = """
            select step, result from {q}step_history
              where saga_id = ? and phase = 'ACTION' and outcome = 'SUCCEEDED' and result is not null
            """;

    private static final String HISTORY = """
            select seq, ordinal, step, phase, attempt, outcome, reason, result, error_code, error_text, started_at,
                duration, node
              from {q}step_history where saga_id = ? order by seq, ordinal
            """;

    private static final String COMPENSATIONS = """
            select step, position, status, retry_count, next_retry_at, request, response, last_error, created_at, updated_at
              from {q}compensation_log where saga_id = ? order by position
            """;

    private final Sql sql;
    private final String clock;

    Reads(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.clock = dialect.clock();
    }

    Optional<InstanceRow> byId(Connection connection, UUID sagaId) throws SQLException {
        return one(sql.query(connection, with(BY_ID), Rows::instance, sagaId));
    }

    Optional<InstanceRow> byKey(Connection connection, int typeId, String businessKey) throws SQLException {
        return one(sql.query(connection, with(BY_KEY), Rows::instance, typeId, businessKey));
    }

    Optional<InstanceRow> byKey(Connection connection, String name, String businessKey) throws SQLException {
        return one(sql.query(connection, with(BY_NAME_AND_KEY), Rows::instance, name, businessKey));
    }

    List<HistoryRow> history(Connection connection, UUID sagaId) throws SQLException {
        return sql.query(connection, HISTORY, Rows::history, sagaId);
    }

    List<CompensationRow> compensations(Connection connection, UUID sagaId) throws SQLException {
        return sql.query(connection, COMPENSATIONS, Rows::compensation, sagaId);
    }

    private record Aged(InstanceRow row, Instant clock) {}

    /** Reads a saga that this transaction has just taken. */
    Claimed claimed(Connection connection, UUID sagaId, boolean takenOver) throws SQLException {
        Aged aged = sql.query(
                        connection,
                        with(BY_ID),
                        row -> new Aged(Rows.instance(row), Rows.required(row, "clock")),
                        sagaId)
                .get(0);
        InstanceRow row = aged.row();
        Duration age = Duration.between(row.createdAt(), aged.clock());
        return new Claimed(
                row,
                takenOver,
                age.isNegative() ? Duration.ZERO : age,
                since(row.createdAt(), row.deadline()),
                results(connection, sagaId));
    }

    private Map<String, String> results(Connection connection, UUID sagaId) throws SQLException {
        Map<String, String> results = new HashMap<>();
        sql.query(connection, RESULTS, row -> results.put(row.getString(1), row.getString(2)), sagaId);
        return results;
    }

    private String with(String statement) {
        return statement.replace("{clock}", clock);
    }

    private static @Nullable Duration since(Instant created, @Nullable Instant deadline) {
        return deadline == null ? null : Duration.between(created, deadline);
    }

    private static Optional<InstanceRow> one(List<InstanceRow> rows) {
        return rows.stream().findFirst();
    }
}
