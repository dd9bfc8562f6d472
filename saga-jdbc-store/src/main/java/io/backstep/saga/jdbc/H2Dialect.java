package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** H2: no RETURNING, so one row at a time in one transaction, by the counts. The clock is read first and then bound. */
final class H2Dialect implements Dialect {
    private static final String CLOCK =
            "dateadd(millisecond, {q}clock(), timestamp with time zone '1970-01-01 00:00:00+00:00')";
    private static final String ACTIVE = "status in ('RUNNING', 'COMPENSATING')";

    private static final String INSERT = """
            insert into {q}instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)
            """;

    private static final String UPDATE = """
            update {q}instance set seq = seq + 1, status = ?, reason = ?, steps = coalesce(?, steps),
                owner = case when ? then null else owner end,
                due_at = case when ? then due_at else cast(? as timestamp(6) with time zone) end, updated_at = ?
              where saga_id = ? and epoch = ? and seq = ?
            """;

    private static final String HISTORY = """
            insert into {q}step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, reason, result,
                error_code, error_text, started_at, duration, node)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String COMPENSATION = """
            update {q}compensation_log set position = ?, status = ?, retry_count = ?, next_retry_at = ?, request = ?,
                response = coalesce(?, response), last_error = coalesce(?, last_error), updated_at = ?
              where saga_id = ? and step = ?
            """;

    private static final String NEW_COMPENSATION = """
            insert into {q}compensation_log (position, status, retry_count, next_retry_at, request, response, last_error,
                created_at, updated_at, saga_id, step)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String DUE = """
            select saga_id, owner from {q}instance where definition_id = ? and due_at <= ?
              order by due_at limit ? for update skip locked
            """;

    private final Sql sql;

    H2Dialect(Sql sql) {
        this.sql = sql;
    }

    @Override
    public Set<UUID> insert(Connection connection, List<NewInstance> batch) throws SQLException {
        Set<UUID> inserted = new HashSet<>();
        for (NewInstance row : batch) {
            Savepoint before = connection.setSavepoint();
            try {
                insert(connection, row, now(connection));
                inserted.add(row.sagaId());
                connection.releaseSavepoint(before);
            } catch (SQLException e) {
                connection.rollback(before);
                if (!"23505".equals(e.getSQLState())) {
                    throw e;
                }
            }
        }
        return inserted;
    }

    private void insert(Connection connection, NewInstance row, Instant now) throws SQLException {
        Lease lease = row.lease();
        Instant due = lease == null ? now : now.plus(lease.duration());
        sql.update(
                connection,
                INSERT,
                row.sagaId(),
                row.definition().definitionId(),
                row.definition().typeId(),
                row.businessKey(),
                row.inputHash(),
                row.status().name(),
                row.steps(),
                row.input(),
                row.format(),
                lease == null ? 0 : 1,
                lease == null || !row.status().active() ? null : lease.owner(),
                row.status().active() ? at(due) : null,
                at(row.deadline() == null ? null : now.plus(row.deadline())),
                at(now),
                at(now));
    }

    @Override
    public Set<UUID> submit(Connection connection, List<Mutation> batch) throws SQLException {
        Set<UUID> written = new HashSet<>();
        for (Mutation mutation : batch) {
            Instant now = now(connection);
            if (update(connection, mutation, now)) {
                record(connection, mutation, now);
                written.add(mutation.fence().sagaId());
            }
        }
        return written;
    }

    private boolean update(Connection connection, Mutation mutation, Instant now) throws SQLException {
        Fence fence = mutation.fence();
        Hold hold = mutation.hold();
        Duration wait = hold.duration();
        return sql.update(
                        connection,
                        UPDATE,
                        mutation.status().name(),
                        mutation.reason() == null ? null : mutation.reason().name(),
                        mutation.steps(),
                        hold.kind() == Hold.Kind.RELEASE || hold.kind() == Hold.Kind.END,
                        hold.kind() == Hold.Kind.KEEP,
                        at(wait == null ? null : now.plus(wait)),
                        at(now),
                        fence.sagaId(),
                        fence.epoch(),
                        fence.seq())
                == 1;
    }

    private void record(Connection connection, Mutation mutation, Instant now) throws SQLException {
        Fence fence = mutation.fence();
        int ordinal = 0;
        for (HistoryEntry line : mutation.history()) {
            sql.update(
                    connection,
                    HISTORY,
                    fence.sagaId(),
                    fence.seq() + 1,
                    ordinal++,
                    line.step(),
                    line.phase().name(),
                    line.attempt(),
                    line.outcome().name(),
                    line.reason() == null ? null : line.reason().name(),
                    line.result(),
                    line.errorCode(),
                    line.errorText(),
                    at(now.minus(line.duration())),
                    Rows.micros(line.duration()),
                    line.node());
        }
        for (CompensationEntry entry : mutation.compensations()) {
            compensation(connection, fence.sagaId(), entry, now);
        }
    }

    private void compensation(Connection connection, UUID sagaId, CompensationEntry entry, Instant now)
            throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        values.add(entry.position());
        values.add(entry.status().name());
        values.add(entry.retryCount());
        values.add(at(entry.nextRetryIn() == null ? null : now.plus(entry.nextRetryIn())));
        values.add(entry.request());
        values.add(entry.response());
        values.add(entry.lastError());
        values.add(at(now));
        values.add(sagaId);
        values.add(entry.step());
        if (sql.update(connection, COMPENSATION, values.toArray()) == 0) {
            values.add(7, at(now));
            sql.update(connection, NEW_COMPENSATION, values.toArray());
        }
    }

    private record Due(UUID sagaId, boolean owned) {}

    @Override
    public Map<UUID, Boolean> claim(Connection connection, ClaimRequest request) throws SQLException {
        Instant now = now(connection);
        List<Iterator<Due>> byDefinition = new ArrayList<>();
        for (int definitionId : request.definitionIds()) {
            byDefinition.add(sql.query(
                            connection,
                            DUE,
                            row -> new Due(row.getObject(1, UUID.class), row.getString(2) != null),
                            definitionId,
                            at(now),
                            request.limit())
                    .iterator());
        }
        Map<UUID, Boolean> taken = new HashMap<>();
        boolean more = true;
        while (more && taken.size() < request.limit()) {
            more = false;
            for (Iterator<Due> due : byDefinition) {
                if (due.hasNext() && taken.size() < request.limit()) {
                    Due next = due.next();
                    take(connection, next.sagaId(), request.lease(), now);
                    taken.put(next.sagaId(), next.owned());
                    more = true;
                }
            }
        }
        return taken;
    }

    private void take(Connection connection, UUID sagaId, Lease lease, Instant now) throws SQLException {
        sql.update(
                connection,
                "update {q}instance set owner = ?, due_at = ?, epoch = epoch + 1, updated_at = ? where saga_id = ?",
                lease.owner(),
                at(now.plus(lease.duration())),
                at(now),
                sagaId);
    }

    @Override
    public boolean claimOne(Connection connection, UUID sagaId, Lease lease) throws SQLException {
        Instant now = now(connection);
        boolean free = !sql.query(
                        connection,
                        "select saga_id from {q}instance where saga_id = ? and owner is null and due_at <= ?"
                                + " for update skip locked",
                        row -> true,
                        sagaId,
                        at(now))
                .isEmpty();
        if (free) {
            take(connection, sagaId, lease, now);
        }
        return free;
    }

    @Override
    public boolean recover(Connection connection, Held held, Lease lease) throws SQLException {
        Instant now = now(connection);
        return sql.update(
                        connection,
                        "update {q}instance set epoch = epoch + 1, owner = ?, due_at = ?, updated_at = ?"
                                + " where saga_id = ? and epoch = ? and " + ACTIVE,
                        lease.owner(),
                        at(now.plus(lease.duration())),
                        at(now),
                        held.sagaId(),
                        held.epoch())
                == 1;
    }

    @Override
    public Set<UUID> renew(Connection connection, List<Held> held, Lease lease) throws SQLException {
        Set<UUID> renewed = new HashSet<>();
        for (Held one : held) {
            boolean mine = !sql.query(
                            connection,
                            "select saga_id from {q}instance where saga_id = ? and epoch = ? and owner = ? and "
                                    + ACTIVE + " for update skip locked",
                            row -> true,
                            one.sagaId(),
                            one.epoch(),
                            lease.owner())
                    .isEmpty();
            if (mine) {
                sql.update(
                        connection,
                        "update {q}instance set due_at = ? where saga_id = ?",
                        at(now(connection).plus(lease.duration())),
                        one.sagaId());
                renewed.add(one.sagaId());
            }
        }
        return renewed;
    }

    @Override
    public void insertIfAbsent(Connection connection, String table, String columns, Object... values)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            String marks = "?, ".repeat(values.length - 1) + "?";
            sql.update(connection, "insert into {q}" + table + " (" + columns + ") values (" + marks + ")", values);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            connection.rollback(before);
            if (!"23505".equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    @Override
    public void limitLockWait(Connection connection, long millis) {
        // H2 knows only a limit of the whole session, which would stay on a pooled connection: its default must do
    }

    @Override
    public String clock() {
        return CLOCK;
    }

    @Override
    public boolean isLockFailure(SQLException failure) {
        return failure.getErrorCode() == 50200 || failure.getErrorCode() == 40001;
    }

    private Instant now(Connection connection) throws SQLException {
        return sql.query(connection, "select {q}clock()", row -> Instant.ofEpochMilli(row.getLong(1)))
                .get(0);
    }

    private static @Nullable OffsetDateTime at(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
