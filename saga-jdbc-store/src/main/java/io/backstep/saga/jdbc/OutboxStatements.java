package io.backstep.saga.jdbc;

import io.backstep.saga.TypeRef;
import io.backstep.saga.messaging.FailedMessage;
import io.backstep.saga.messaging.OutboxBacklog;
import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMark;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRow;
import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.serialization.Json;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables of the outbox. A message that is sent has no lane any more. */
final class OutboxStatements {
    /** So much of payloads is read at once. */
    private static final long LARGEST_BATCH = 8 << 20;

    private static final TypeRef<Map<String, String>> HEADERS = new TypeRef<>() {};

    private static final String INSERT = """
            insert into {q}outbox (id, aggregatetype, aggregateid, type, payload, headers, size, lane, status, attempts, created_at)
              values (?, ?, ?, ?, ?, ?, ?, ?, 'NEW', 0, {clock})
            """;

    /** By status and not by position alone: what is committed late has a smaller position than what is sent already. */
    private static final String SENDABLE = """
            (o.status = 'NEW' or (o.status = 'RETRY' and o.due_at <= {clock})) and not exists (
                select 1 from {q}outbox e where e.lane = o.lane and e.aggregatetype = o.aggregatetype and e.aggregateid = o.aggregateid
                  and e.status in ('RETRY', 'FAILED') and e.seq < o.seq and (e.status = 'FAILED' or e.due_at > {clock}))
            """;

    /** The lane whose turn is longest ago. Turns are counted: a clock may stand still, or be set back. */
    private static final String FREE = """
            select l.lane, (select max(turn) from {q}outbox_lane) as last from {q}outbox_lane l
              where (l.lease_until is null or l.lease_until < {clock})
                and exists (select 1 from {q}outbox o where o.lane = l.lane and %s)
              order by l.turn, l.lane limit 1 for update skip locked
            """.formatted(SENDABLE);

    private static final String TAKE =
            "update {q}outbox_lane set owner = ?, epoch = epoch + 1, turn = ?, lease_until = {later} where lane = ?";

    private static final String EPOCH = "select epoch from {q}outbox_lane where lane = ?";

    private static final String READ = """
            select o.seq, o.id, o.aggregatetype, o.aggregateid, o.type, o.payload, o.headers, o.attempts from {q}outbox o
              join (select seq, sum(size) over (order by seq) - size as size_before from
                (select o.seq, o.size from {q}outbox o where o.lane = ? and %s order by o.seq limit ?) head) chosen
              on chosen.seq = o.seq
              where chosen.size_before < ? order by o.seq
            """.formatted(SENDABLE);

    private static final String RELEASE =
            "update {q}outbox_lane set owner = null, lease_until = null where lane = ? and epoch = ?";

    private static final String SENT = """
            update {q}outbox set status = 'SENT', lane = null, due_at = null, sent_at = {clock}
              where seq = ? and status in ('NEW', 'RETRY')
            """;

    private static final String IN_VAIN = """
            update {q}outbox set status = ?, attempts = ?, due_at = {later}, error = ?
              where seq = ? and status in ('NEW', 'RETRY')
            """;

    private static final String BACKLOG = """
            select count(*) as total, sum(case status when 'FAILED' then 1 else 0 end) as failed, min(created_at) as oldest, {clock} as clock
              from {q}outbox where lane is not null
            """;

    private static final String FAILED = """
            select id, aggregatetype, aggregateid, type, payload, headers, attempts, error, created_at from {q}outbox
              where lane is not null and status = 'FAILED' order by seq limit ?
            """;

    private static final String REQUEUE = """
            update {q}outbox set status = 'NEW', attempts = 0, due_at = null
              where lane is not null and status = 'FAILED' and id = ?
            """;

    private static final String DISCARD =
            "delete from {q}outbox where lane is not null and status = 'FAILED' and id = ?";

    private static final String FIND_OLD =
            "select seq from {q}outbox where sent_at <= {later_of_statement} order by sent_at limit ?";

    private static final String DELETE = "delete from {q}outbox where seq = ? and status = 'SENT'";

    private final Sql sql;
    private final Dialect dialect;
    private final Json json = new Json();

    OutboxStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    private String timed(String statement) {
        return statement
                .replace("{clock}", dialect.clock())
                .replace("{later}", dialect.later())
                .replace("{later_of_statement}", dialect.laterOfStatement());
    }

    void insert(Connection connection, UUID id, OutboxMessage message) throws SQLException {
        sql.update(
                connection,
                timed(INSERT),
                id,
                message.aggregateType(),
                message.aggregateId(),
                message.type(),
                message.payload().orElse(null),
                message.headers().isEmpty() ? null : json.write("the headers of a message", message.headers()),
                message.size(),
                OutboxStore.lane(message));
    }

    private record Free(int lane, long last) {}

    Optional<OutboxBatch> claim(Connection connection, String owner, Duration lease, int limit) throws SQLException {
        List<Free> free = sql.query(connection, timed(FREE), row -> new Free(row.getInt("lane"), row.getLong("last")));
        if (free.isEmpty()) {
            return Optional.empty();
        }
        int lane = free.get(0).lane();
        sql.update(connection, timed(TAKE), owner, free.get(0).last() + 1, Rows.micros(lease), lane);
        long epoch =
                sql.query(connection, EPOCH, row -> row.getLong("epoch"), lane).get(0);
        List<OutboxRow> rows = sql.query(connection, timed(READ), this::row, lane, limit, LARGEST_BATCH);
        return Optional.of(new OutboxBatch(lane, epoch, rows));
    }

    private OutboxRow row(ResultSet row) throws SQLException {
        return new OutboxRow(row.getLong("seq"), Rows.id(row, "id"), message(row), row.getInt("attempts"));
    }

    private OutboxMessage message(ResultSet row) throws SQLException {
        OutboxMessage message =
                OutboxMessage.of(row.getString("aggregatetype"), row.getString("aggregateid"), row.getString("type"));
        byte[] payload = row.getBytes("payload");
        message = payload == null ? message : message.bytes(payload);
        for (Map.Entry<String, String> header : headers(row).entrySet()) {
            message = message.header(header.getKey(), header.getValue());
        }
        return message;
    }

    @SuppressWarnings("unchecked")
    private Map<String, String> headers(ResultSet row) throws SQLException {
        String headers = row.getString("headers");
        Object read = headers == null ? null : json.read("the headers of a message", headers, HEADERS.type());
        return read == null ? Map.of() : (Map<String, String>) read;
    }

    boolean settle(Connection connection, OutboxBatch batch, List<OutboxMark> marks) throws SQLException {
        if (sql.update(connection, timed(RELEASE), batch.lane(), batch.epoch()) == 0) {
            return false;
        }
        List<@Nullable Object[]> sent = new ArrayList<>();
        List<@Nullable Object[]> inVain = new ArrayList<>();
        marks.stream()
                .sorted(Comparator.comparing(OutboxMark::position))
                .forEach(mark -> (mark.kind() == OutboxMark.Kind.SENT ? sent : inVain).add(values(mark)));
        sql.updateAll(connection, timed(SENT), sent);
        sql.updateAll(connection, timed(IN_VAIN), inVain);
        return true;
    }

    private static @Nullable Object[] values(OutboxMark mark) {
        return mark.kind() == OutboxMark.Kind.SENT
                ? new @Nullable Object[] {mark.position()}
                : new @Nullable Object[] {
                    mark.kind().name(), mark.failures(), Rows.microsOrNull(mark.delay()), mark.error(), mark.position()
                };
    }

    OutboxBacklog backlog(Connection connection) throws SQLException {
        return sql.query(connection, timed(BACKLOG), OutboxStatements::backlog).get(0);
    }

    private static OutboxBacklog backlog(ResultSet row) throws SQLException {
        Instant oldest = Rows.instant(row, "oldest");
        long failed = row.getLong("failed");
        return new OutboxBacklog(
                row.getLong("total") - failed,
                failed,
                oldest == null ? Duration.ZERO : Duration.between(oldest, Rows.required(row, "clock")));
    }

    List<FailedMessage> failed(Connection connection, int limit) throws SQLException {
        return sql.query(
                connection,
                FAILED,
                row -> new FailedMessage(
                        Rows.id(row, "id"),
                        message(row),
                        row.getInt("attempts"),
                        String.valueOf(row.getString("error")),
                        Rows.required(row, "created_at")),
                limit);
    }

    boolean requeue(Connection connection, UUID id) throws SQLException {
        return sql.update(connection, REQUEUE, id) > 0;
    }

    boolean discard(Connection connection, UUID id) throws SQLException {
        return sql.update(connection, DISCARD, id) > 0;
    }

    int purge(Connection connection, Duration age, int limit) throws SQLException {
        List<@Nullable Object[]> found = sql.query(
                connection,
                timed(FIND_OLD),
                row -> new @Nullable Object[] {row.getLong("seq")},
                -Rows.micros(age),
                limit);
        sql.updateAll(connection, DELETE, found);
        return found.size();
    }
}
