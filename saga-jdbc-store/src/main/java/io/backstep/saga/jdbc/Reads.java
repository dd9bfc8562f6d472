package io.backstep.saga.jdbc;

import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The reading statements, the same on every database. */
final class Reads {
    /** The columns of an instance, and from where: {@code {clock}} stands for more columns. */
    static final String COLUMNS = """
            select i.saga_id, i.definition_id, d.name, d.version, i.parent_id, i.parent_step, i.parent_output, i.business_key, i.input_hash, i.status, i.reason, i.steps,
                i.input, i.format, i.epoch, i.seq, i.owner, i.due_at, i.deadline, i.created_at, i.updated_at{clock}
              from {q}instance i join {q}definition d on d.id = i.definition_id
            """;

    private static final String INSTANCE = COLUMNS.replace("{clock}", "");

    private static final String BY_ID = INSTANCE + " where i.saga_id = ?";

    private static final String BY_KEY = INSTANCE + " where i.type_id = ? and i.business_key = ?";

    private static final String BY_NAME_AND_KEY =
            INSTANCE + " where i.type_id = (select t.id from {q}type t where t.name = ?) and i.business_key = ?";

    private static final String HISTORY = """
            select seq, ordinal, step, phase, attempt, outcome, reason, result, error_code, error_text, started_at,
                duration, node
              from {q}step_history where saga_id = ? order by seq, ordinal
            """;

    private static final String HISTORY_PAGE =
            HISTORY.replace("order by", "and (seq > ? or (seq = ? and ordinal > ?)) order by") + " limit ?";

    private static final String COMPENSATIONS = """
            select step, position, status, retry_count, next_retry_at, request, response, last_error, created_at, updated_at
              from {q}compensation_log where saga_id = ? order by position
            """;

    private final Sql sql;
    private final Dialect dialect;
    private final MailStatements mail;
    private final String time;
    private final String timedById;

    Reads(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
        this.mail = new MailStatements(sql, dialect);
        this.time = "select " + dialect.clock() + " as clock";
        this.timedById = COLUMNS.replace("{clock}", ", " + dialect.clock() + " as clock") + " where i.saga_id = ?";
    }

    Instant now(Connection connection) throws SQLException {
        return sql.query(connection, time, row -> Rows.required(row, "clock")).get(0);
    }

    Optional<InstanceRow> byId(Connection connection, UUID sagaId) throws SQLException {
        return one(sql.query(connection, BY_ID, Rows::instance, sagaId));
    }

    Optional<InstanceRow> byKey(Connection connection, int typeId, String businessKey) throws SQLException {
        return one(sql.query(connection, BY_KEY, Rows::instance, typeId, businessKey));
    }

    Optional<InstanceRow> byKey(Connection connection, String name, String businessKey) throws SQLException {
        return one(sql.query(connection, BY_NAME_AND_KEY, Rows::instance, name, businessKey));
    }

    List<HistoryRow> history(Connection connection, UUID sagaId) throws SQLException {
        return sql.query(connection, HISTORY, Rows::history, sagaId);
    }

    List<HistoryRow> history(Connection connection, UUID sagaId, HistoryRow.@Nullable Place after, int limit)
            throws SQLException {
        long seq = after == null ? -1 : after.seq();
        int ordinal = after == null ? -1 : after.ordinal();
        return sql.query(connection, HISTORY_PAGE, Rows::history, sagaId, seq, seq, ordinal, limit);
    }

    /** The row with the database's time, and then its mail: what comes in between is seen. */
    Optional<Inspected> inspect(Connection connection, UUID sagaId) throws SQLException {
        record Seen(InstanceRow row, Words.Standing standing, Instant now) {
            static Seen of(ResultSet row) throws SQLException {
                Words.Standing standing = Words.Standing.of(row);
                return new Seen(Rows.instance(row, standing), standing, Rows.required(row, "clock"));
            }
        }
        List<Seen> seen = sql.query(connection, timedById, Seen::of, sagaId);
        if (seen.isEmpty()) {
            return Optional.empty();
        }
        List<Mail> newMail = mail.newOf(connection, List.of(sagaId)).getOrDefault(sagaId, List.of());
        Words.Standing standing = seen.get(0).standing();
        return Optional.of(new Inspected(
                seen.get(0).row(), seen.get(0).now(), newMail, standing.unknownStatus(), standing.unknownReason()));
    }

    List<CompensationRow> compensations(Connection connection, UUID sagaId) throws SQLException {
        return sql.query(connection, COMPENSATIONS, Rows::compensation, sagaId);
    }

    /** Reads a saga that this transaction has just taken. */
    Optional<Claimed> taken(Connection connection, UUID sagaId) throws SQLException {
        List<Taken> one = Taken.read(sql, connection, dialect.clock(), Map.of(sagaId, false));
        return Belongings.with(sql, connection, one).stream().findFirst();
    }

    private static Optional<InstanceRow> one(List<InstanceRow> rows) {
        return rows.stream().findFirst();
    }
}
