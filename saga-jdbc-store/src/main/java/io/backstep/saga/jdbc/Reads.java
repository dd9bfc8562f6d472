package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The reading statements, the same on every database. */
final class Reads {
    /** The columns of an instance, and from where: {@code {clock}} stands for more columns. */
    static final String COLUMNS = """
            select i.saga_id, i.definition_id, d.name, d.version, i.business_key, i.input_hash, i.status, i.reason, i.steps,
                i.input, i.format, i.epoch, i.seq, i.owner, i.due_at, i.deadline, i.created_at, i.updated_at{clock}
              from {q}instance i join {q}definition d on d.id = i.definition_id
            """;

    private static final String INSTANCE = COLUMNS.replace("{clock}", "");

    private static final String BY_ID = INSTANCE + " where i.saga_id = ?";

    private static final String BY_KEY = INSTANCE + " where i.type_id = ? and i.business_key = ?";

    private static final String BY_NAME_AND_KEY =
            INSTANCE + " where i.type_id = (select t.id from {q}type t where t.name = ?) and i.business_key = ?";

    /** Two lists in one round trip: a claim is as fast as it has few. */
    private static final String RESULTS_AND_MAIL = """
            select saga_id, step, result, 0 as id, null as message_id, null as kind, null as reason from {q}step_history
              where saga_id = any(?) and phase = 'ACTION' and outcome = 'SUCCEEDED' and result is not null
            union all
            select saga_id, null, null, id, message_id, kind, reason from {q}signal
              where saga_id = any(?) and handled_at is null
              order by id
            """;

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
    private final String timedById;

    Reads(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
        this.mail = new MailStatements(sql, dialect);
        this.timedById = COLUMNS.replace("{clock}", ", " + dialect.clock() + " as clock") + " where i.saga_id = ?";
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

    /** Takes what is due. */
    List<Claimed> claim(Connection connection, ClaimRequest request) throws SQLException {
        return claimed(connection, dialect.claim(connection, request));
    }

    /** Reads a saga that this transaction has just taken. */
    Optional<Claimed> taken(Connection connection, UUID sagaId) throws SQLException {
        List<Taken> one = Taken.read(sql, connection, dialect.clock(), Map.of(sagaId, false));
        return claimed(connection, one).stream().findFirst();
    }

    /** In a statement of its own, after the rows are locked: it sees what their last owners have written. */
    private List<Claimed> claimed(Connection connection, List<Taken> all) throws SQLException {
        if (all.isEmpty()) {
            return List.of();
        }
        List<UUID> ids = all.stream().map(taken -> taken.row().sagaId()).toList();
        Map<UUID, Map<String, String>> results = new HashMap<>();
        Map<UUID, List<Mail>> newMail = new HashMap<>();
        sql.query(connection, RESULTS_AND_MAIL, row -> sort(row, results, newMail), ids, ids);
        return all.stream()
                .map(taken -> new Claimed(
                        taken.row(),
                        taken.takenOver(),
                        taken.age(),
                        since(taken.row().createdAt(), taken.row().deadline()),
                        results.getOrDefault(taken.row().sagaId(), Map.of()),
                        newMail.getOrDefault(taken.row().sagaId(), List.of())))
                .toList();
    }

    private static UUID sort(ResultSet row, Map<UUID, Map<String, String>> results, Map<UUID, List<Mail>> newMail)
            throws SQLException {
        UUID sagaId = Rows.id(row, "saga_id");
        String step = row.getString("step");
        if (step != null) {
            results.computeIfAbsent(sagaId, id -> new HashMap<>()).put(step, row.getString("result"));
        } else {
            MailStatements.mail(row)
                    .ifPresent(one -> newMail.computeIfAbsent(sagaId, id -> new ArrayList<>())
                            .add(one));
        }
        return sagaId;
    }

    private static @Nullable Duration since(Instant created, @Nullable Instant deadline) {
        return deadline == null ? null : Duration.between(created, deadline);
    }

    private static Optional<InstanceRow> one(List<InstanceRow> rows) {
        return rows.stream().findFirst();
    }
}
