package io.backstep.saga.jdbc;

import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The audit, to which rows are only ever added. */
final class AuditStatements {
    private static final String INSERT = """
            insert into {q}audit (saga_id, action, actor, reason, forced, status_before, status_after, accepted, request_key,
                node, created_at)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {clock})
            """;

    private static final String SELECT = """
            select id, saga_id, action, actor, reason, forced, status_before, status_after, accepted, request_key, node,
                created_at
              from {q}audit
            """;

    private final Sql sql;
    private final Dialect dialect;

    AuditStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    boolean add(Connection connection, AuditEntry entry) throws SQLException {
        return dialect.insertInside(
                connection,
                INSERT.replace("{clock}", dialect.clock()),
                entry.sagaId(),
                entry.action(),
                entry.actor(),
                entry.reason(),
                entry.forced(),
                entry.before(),
                entry.after(),
                entry.accepted(),
                entry.requestKey(),
                entry.node());
    }

    List<AuditRow> find(Connection connection, AuditQuery query) throws SQLException {
        if (!StorableText.storable(query.requestKey())) {
            return List.of();
        }
        Conditions conditions = new Conditions()
                .with("saga_id = ?", query.sagaId())
                .with("request_key = ?", query.requestKey())
                .with("id < ?", query.before());
        return sql.queryWithin(
                ListStatements.SECONDS,
                connection,
                SELECT + conditions.where() + " order by id desc limit ?",
                AuditStatements::row,
                conditions.values(query.limit()));
    }

    private static AuditRow row(ResultSet row) throws SQLException {
        AuditEntry entry = new AuditEntry(
                Rows.id(row, "saga_id"),
                row.getString("action"),
                row.getString("actor"),
                row.getString("reason"),
                row.getBoolean("forced"),
                row.getString("status_before"),
                row.getString("status_after"),
                row.getBoolean("accepted"),
                row.getString("request_key"),
                row.getString("node"));
        return new AuditRow(row.getLong("id"), entry, Rows.required(row, "created_at"));
    }
}
