package io.backstep.saga.jdbc;

import io.backstep.saga.participant.GuardCall;
import io.backstep.saga.participant.GuardRow;
import io.backstep.saga.participant.GuardState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table of the participant guard. */
final class GuardStatements {
    private static final String SAME = "old.operation = new.operation and ";
    private static final String TIME_IS_UP = "(old.busy_until is null or old.busy_until < {clock})";

    private static final String SETTLE = """
            update {q}guard set state = ?, result = coalesce(?, result), busy_until = null, changed_at = {clock}
              where operation_id = ? and token = ? and state = ?
            """;

    /** In the transaction that has written the row: its times are those of the row, and no index has to know. */
    private static final String KEEP =
            "update {q}guard set result = ? where operation_id = ? and token = ? and state = ?";

    private static final String KEPT = "select 1 from {q}guard where operation_id = ? and token = ? and state = ?";

    private static final String OLD = "changed_at <= {later} and (busy_until is null or busy_until < {clock})";

    private static final String FIND_OLD =
            "select operation_id from {q}guard where " + OLD + " order by changed_at limit ?";

    /** By the primary key, as all other writes find the row. */
    private static final String DELETE = "delete from {q}guard where operation_id = ? and " + OLD;

    private final Sql sql;
    private final Dialect dialect;
    private final Taking action;
    private final Taking compensation;
    private final Taking confirmation;

    GuardStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
        this.action = taking(SAME + "old.state = 'STARTED' and " + TIME_IS_UP);
        this.compensation = taking(
                SAME + "(old.state = 'DONE' or (old.state in ('STARTED', 'COMPENSATING') and " + TIME_IS_UP + "))");
        this.confirmation = taking(SAME + "(old.state = 'DONE' or (old.state = 'CONFIRMING' and " + TIME_IS_UP + "))");
    }

    private Taking taking(String free) {
        List<Taking.Column> columns = List.of(
                new Taking.Column("operation_id", "?", null),
                new Taking.Column("operation", "?", null),
                new Taking.Column("state", "?", "?"),
                new Taking.Column("token", "?", "new.token"),
                new Taking.Column("busy_until", dialect.later(), "new.busy_until"),
                new Taking.Column("changed_at", dialect.clock(), "new.changed_at"));
        return new Taking("guard", columns, timed(free), "operation, state, token, result");
    }

    private String timed(String statement) {
        return statement.replace("{clock}", dialect.clock()).replace("{later}", dialect.laterOfStatement());
    }

    GuardRow action(Connection connection, GuardCall call) throws SQLException {
        return take(connection, action, call);
    }

    GuardRow compensation(Connection connection, GuardCall call) throws SQLException {
        return take(connection, compensation, call);
    }

    GuardRow confirmation(Connection connection, GuardCall call) throws SQLException {
        return take(connection, confirmation, call);
    }

    private GuardRow take(Connection connection, Taking taking, GuardCall call) throws SQLException {
        Duration limit = call.limit();
        List<@Nullable Object> inserted = new ArrayList<>(Arrays.asList(
                call.operationId(), call.operation(), call.whenNew().name(), call.token()));
        inserted.add(limit == null ? null : Rows.micros(limit));
        Taking.Values values =
                new Taking.Values(inserted, List.of(call.whenTaken().name()));
        return dialect.take(connection, taking, values, call.joined(), GuardStatements::row);
    }

    private static GuardRow row(ResultSet row) throws SQLException {
        return new GuardRow(
                row.getString("operation"),
                GuardState.valueOf(row.getString("state")),
                Rows.id(row, "token"),
                row.getString("result"));
    }

    boolean settle(
            Connection connection,
            String operationId,
            UUID token,
            GuardState from,
            GuardState to,
            @Nullable String result)
            throws SQLException {
        return sql.update(connection, timed(SETTLE), to.name(), result, operationId, token, from.name()) == 1;
    }

    /** With the commit, where that is ours and the database takes both at once. */
    boolean keep(Connection connection, String operationId, UUID token, GuardState state, String result)
            throws SQLException {
        Object[] values = {result, operationId, token, state.name()};
        if (dialect.takesCommits()
                && GuardedConnection.atCommit(connection, own -> sql.updateAndCommit(own, KEEP, values))) {
            return true;
        }
        return sql.update(connection, KEEP, values) == 1;
    }

    boolean isThere(Connection connection, String operationId, UUID token, GuardState state) throws SQLException {
        return !sql.query(connection, KEPT, row -> true, operationId, token, state.name())
                .isEmpty();
    }

    int purge(Connection connection, Duration age, int limit) throws SQLException {
        long micros = -Rows.micros(age);
        List<String> found =
                sql.query(connection, timed(FIND_OLD), row -> row.getString("operation_id"), micros, limit);
        List<@Nullable Object[]> each = new ArrayList<>();
        found.stream().sorted().forEach(operationId -> each.add(new @Nullable Object[] {operationId, micros}));
        sql.updateAll(connection, timed(DELETE), each);
        return found.size();
    }
}
