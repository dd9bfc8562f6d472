package io.backstep.saga.jdbc;

import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table of requests that were made under a key. */
final class IdempotencyStatements {
    private static final String FREE = """
            (old.result is null and old.busy_until < {clock} and old.fingerprint = new.fingerprint) or old.expires_at < {clock}
            """.strip();

    private static final String COMPLETE = """
            update {q}idempotency set result = ?, busy_until = {clock}, expires_at = {later}
              where request_key = ? and token = ?
            """;

    private static final String RELEASE =
            "delete from {q}idempotency where request_key = ? and token = ? and result is null";

    private static final String FIND_OLD =
            "select request_key from {q}idempotency where expires_at < {now} order by expires_at limit ?";

    private static final String DELETE = "delete from {q}idempotency where request_key = ? and expires_at < {clock}";

    private final Sql sql;
    private final Dialect dialect;
    private final Taking claim;

    IdempotencyStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
        List<Taking.Column> columns = List.of(
                new Taking.Column("request_key", "?", null),
                new Taking.Column("fingerprint", "?", "new.fingerprint"),
                new Taking.Column("token", "?", "new.token"),
                new Taking.Column("busy_until", dialect.later(), "new.busy_until"),
                new Taking.Column("expires_at", dialect.later(), "new.expires_at"),
                new Taking.Column("result", "null", "null"));
        this.claim = new Taking("idempotency", columns, timed(FREE), "fingerprint, token, result");
    }

    private String timed(String statement) {
        return statement
                .replace("{clock}", dialect.clock())
                .replace("{later}", dialect.later())
                .replace("{now}", dialect.laterOfStatement());
    }

    IdempotencyRow claim(Connection connection, IdempotencyClaim wanted) throws SQLException {
        List<@Nullable Object> inserted = new ArrayList<>(List.of(
                wanted.key(),
                wanted.fingerprint(),
                wanted.token(),
                Rows.micros(wanted.limit()),
                Rows.micros(wanted.timeToLive())));
        Taking.Values values = new Taking.Values(inserted, List.of());
        return dialect.take(connection, claim, values, false, IdempotencyStatements::row);
    }

    private static IdempotencyRow row(ResultSet row) throws SQLException {
        return new IdempotencyRow(row.getString("fingerprint"), Rows.id(row, "token"), row.getString("result"));
    }

    boolean complete(Connection connection, String key, UUID token, String result, Duration timeToLive)
            throws SQLException {
        return sql.update(connection, timed(COMPLETE), result, Rows.micros(timeToLive), key, token) == 1;
    }

    void release(Connection connection, String key, UUID token) throws SQLException {
        sql.update(connection, RELEASE, key, token);
    }

    int purge(Connection connection, int limit) throws SQLException {
        List<String> found = sql.query(connection, timed(FIND_OLD), row -> row.getString("request_key"), 0, limit);
        List<@Nullable Object[]> each = new ArrayList<>();
        found.stream().sorted().forEach(key -> each.add(new @Nullable Object[] {key}));
        sql.updateAll(connection, timed(DELETE), each);
        return found.size();
    }
}
