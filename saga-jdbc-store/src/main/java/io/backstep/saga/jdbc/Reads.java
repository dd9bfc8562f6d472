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
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reading statements, the same on every database. */
final class Reads {
    private static final Logger log = LoggerFactory.getLogger(Reads.class);
    private static final String COLUMNS = """
            select i.saga_id, i.definition_id, d.name, d.version, i.business_key, i.input_hash, i.status, i.reason, i.steps,
                i.input, i.format, i.epoch, i.seq, i.owner, i.due_at, i.deadline, i.created_at, i.updated_at{clock}
              from {q}instance i join {q}definition d on d.id = i.definition_id
            """;

    private static final String INSTANCE = COLUMNS.replace("{clock}", "");

    private static final String BY_IDS = COLUMNS + " where i.saga_id = any(?)";

    private static final String BY_ID = INSTANCE + " where i.saga_id = ?";

    private static final String BY_KEY = INSTANCE + " where i.type_id = ? and i.business_key = ?";

    private static final String BY_NAME_AND_KEY =
            INSTANCE + " where i.type_id = (select t.id from {q}type t where t.name = ?) and i.business_key = ?";

    private static final String RESULTS = """
            select saga_id, step, result from {q}step_history
              where saga_id = any(?) and phase = 'ACTION' and outcome = 'SUCCEEDED' and result is not null
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
    private final MailStatements mail;
    private final String byIds;
    private final String timedById;

    Reads(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.mail = new MailStatements(sql, dialect);
        this.byIds = BY_IDS.replace("{clock}", ", " + dialect.clock() + " as clock");
        this.timedById = byIds.replace("= any(?)", "= ?");
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
        record Seen(InstanceRow row, Instant now) {}
        List<Seen> seen = sql.query(
                connection, timedById, row -> new Seen(Rows.instance(row), Rows.required(row, "clock")), sagaId);
        if (seen.isEmpty()) {
            return Optional.empty();
        }
        List<Mail> newMail = mail.newOf(connection, List.of(sagaId)).getOrDefault(sagaId, List.of());
        return Optional.of(new Inspected(seen.get(0).row(), seen.get(0).now(), newMail));
    }

    List<CompensationRow> compensations(Connection connection, UUID sagaId) throws SQLException {
        return sql.query(connection, COMPENSATIONS, Rows::compensation, sagaId);
    }

    private record Taken(InstanceRow row, Duration age) {}

    private record Result(UUID sagaId, String step, String text) {}

    /** Reads sagas that this transaction has just taken; each id with whether it is taken over. */
    List<Claimed> claimed(Connection connection, Map<UUID, Boolean> takenOver) throws SQLException {
        if (takenOver.isEmpty()) {
            return List.of();
        }
        List<UUID> ids = List.copyOf(takenOver.keySet());
        Map<UUID, Map<String, String>> results = results(connection, ids);
        Map<UUID, List<Mail>> newMail = mail.newOf(connection, takenOver.keySet());
        return sql.query(connection, byIds, Reads::taken, ids).stream()
                .flatMap(Optional::stream)
                .map(taken -> new Claimed(
                        taken.row(),
                        takenOver.getOrDefault(taken.row().sagaId(), false),
                        taken.age(),
                        since(taken.row().createdAt(), taken.row().deadline()),
                        results.getOrDefault(taken.row().sagaId(), Map.of()),
                        newMail.getOrDefault(taken.row().sagaId(), List.of())))
                .toList();
    }

    /** A row with a word that this version does not know is left to a node that does: it stops no other. */
    private static Optional<Taken> taken(ResultSet row) throws SQLException {
        String unknown = Rows.unknownWord(row);
        if (unknown != null) {
            log.error(
                    "SAGA-DB-010: saga {} is left alone for a node that knows its {}",
                    Rows.id(row, "saga_id"),
                    unknown);
            return Optional.empty();
        }
        InstanceRow instance = Rows.instance(row);
        Duration age = Duration.between(instance.createdAt(), Rows.required(row, "clock"));
        return Optional.of(new Taken(instance, age.isNegative() ? Duration.ZERO : age));
    }

    private Map<UUID, Map<String, String>> results(Connection connection, List<UUID> ids) throws SQLException {
        Map<UUID, Map<String, String>> results = new HashMap<>();
        sql.query(
                        connection,
                        RESULTS,
                        row -> new Result(Rows.id(row, "saga_id"), row.getString(2), row.getString(3)),
                        ids)
                .forEach(result -> results.computeIfAbsent(result.sagaId(), id -> new HashMap<>())
                        .put(result.step(), result.text()));
        return results;
    }

    private static @Nullable Duration since(Instant created, @Nullable Instant deadline) {
        return deadline == null ? null : Duration.between(created, deadline);
    }

    private static Optional<InstanceRow> one(List<InstanceRow> rows) {
        return rows.stream().findFirst();
    }
}
