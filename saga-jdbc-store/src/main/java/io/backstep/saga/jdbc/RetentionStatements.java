package io.backstep.saga.jdbc;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** Deletes finished sagas, a slice of the primary key at a time, with all that is of them alone. */
final class RetentionStatements {
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final List<String> TABLES = List.of("step_history", "compensation_log", "signal", "instance");

    private final Sql sql;
    private final Dialect dialect;

    RetentionStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    /** In a transaction of ours that has just begun; the caller commits. */
    Purged purge(Connection connection, PurgeRequest request) throws SQLException {
        dialect.open(connection);
        List<UUID> slice = slice(connection, request);
        if (slice.isEmpty()) {
            return new Purged(0, null);
        }
        UUID last = slice.get(slice.size() - 1);
        boolean any = !request.ages().isEmpty() && !request.typeIds().isEmpty();
        List<UUID> old = any ? old(connection, request, last) : List.of();
        if (!old.isEmpty()) {
            delete(connection, old);
        }
        return new Purged(old.size(), slice.size() == request.limit() ? last : null);
    }

    private List<UUID> slice(Connection connection, PurgeRequest request) throws SQLException {
        Conditions from = new Conditions().with("saga_id > ?", request.after());
        return sql.query(
                connection,
                "select saga_id from {q}instance" + from.where() + " order by saga_id limit ?",
                row -> Rows.id(row, "saga_id"),
                from.values(request.limit()));
    }

    private List<UUID> old(Connection connection, PurgeRequest request, UUID last) throws SQLException {
        List<Object> micros = new ArrayList<>();
        List<String> alternatives = new ArrayList<>();
        for (Map.Entry<SagaStatus, Duration> kept : request.ages().entrySet()) {
            alternatives.add("(status = '" + kept.getKey().name() + "' and updated_at <= " + dialect.later() + ")");
            micros.add(-Rows.micros(kept.getValue().compareTo(LONGEST) < 0 ? kept.getValue() : LONGEST));
        }
        String types = request.typeIds().stream().sorted().map(String::valueOf).collect(Collectors.joining(", "));
        Conditions slice = new Conditions().with("saga_id > ?", request.after()).with("saga_id <= ?", last);
        return sql.query(
                connection,
                "select i.saga_id from {q}instance i" + slice.where() + " and type_id in (" + types + ") and ("
                        + String.join(" or ", alternatives)
                        + ") and (i.parent_id is null or not exists (select 1 from {q}instance p where p.saga_id = i.parent_id))"
                        + " order by i.saga_id for update skip locked",
                row -> Rows.id(row, "saga_id"),
                slice.values(micros.toArray()));
    }

    private void delete(Connection connection, List<UUID> sagaIds) throws SQLException {
        for (String table : TABLES) {
            sql.update(connection, "delete from {q}" + table + " where saga_id = any(?)", sagaIds);
        }
    }
}
