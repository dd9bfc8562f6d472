package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** H2: no RETURNING, so one row at a time in one transaction, by the counts. The clock is read first and then bound. */
final class H2Dialect implements Dialect {
    private static final String MARKS =
            "create local temporary table if not exists saga_step_mark (mark int) on commit delete rows transactional";

    private static final String CLOCK =
            "dateadd(millisecond, {q}clock(), timestamp with time zone '1970-01-01 00:00:00+00:00')";
    private static final String ACTIVE = "status in ('RUNNING', 'COMPENSATING')";

    private static final String INSERT = """
            insert into {q}instance (saga_id, definition_id, type_id, parent_id, parent_step, parent_output, business_key,
                input_hash, status, steps, input, format, epoch, seq, owner, due_at, deadline, created_at, updated_at)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)
            """;

    private static final String DUE = """
            select saga_id, owner from {q}instance where definition_id = ? and due_at <= ? and %s
              order by due_at limit ? for update skip locked
            """.formatted(Words.KNOWN);

    /** How often a row may be in the way that is not there a moment later. */
    private static final int TRIES = 20;

    private final Sql sql;
    private final H2Submit submit;

    H2Dialect(Sql sql) {
        this.sql = sql;
        this.submit = new H2Submit(sql, this);
    }

    @Override
    public OwnTransaction begin(DataSource dataSource) {
        return OwnTransaction.begin(dataSource, Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Nothing is left to do. For locks H2 knows only a limit of the whole session, which would stay on a pooled connection. */
    @Override
    public void open(Connection connection) {}

    @Override
    public Set<UUID> lock(Connection connection, List<UUID> sagaIds) throws SQLException {
        Set<UUID> locked = new HashSet<>();
        for (UUID sagaId : sagaIds) {
            locked.addAll(sql.query(
                    connection,
                    "select saga_id from {q}instance where saga_id = ? for update skip locked",
                    row -> sagaId,
                    sagaId));
        }
        return locked;
    }

    @Override
    public Set<UUID> insert(Connection connection, List<NewInstance> batch, Place place) throws SQLException {
        Set<UUID> inserted = new HashSet<>();
        for (NewInstance row : batch) {
            Savepoint before = connection.setSavepoint();
            try {
                insert(connection, row, now(connection));
                inserted.add(row.sagaId());
                connection.releaseSavepoint(before);
            } catch (SQLException e) {
                BatchWriter.backTo(before, connection, e);
                if (!Failures.isDuplicate(e)) {
                    throw e;
                }
            }
        }
        return inserted;
    }

    private void insert(Connection connection, NewInstance row, Instant now) throws SQLException {
        Lease lease = row.lease();
        Instant due = now.plus(row.due());
        sql.update(
                connection,
                INSERT,
                row.sagaId(),
                row.definition().definitionId(),
                row.definition().typeId(),
                Rows.parentId(row),
                Rows.parentStep(row),
                Rows.parentOutput(row),
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
    public Set<UUID> submit(Connection connection, List<Mutation> batch, Place place) throws SQLException {
        Set<UUID> written = new HashSet<>();
        for (Mutation mutation : batch) {
            if (submit.write(connection, mutation, now(connection))) {
                written.add(mutation.fence().sagaId());
            }
        }
        return written;
    }

    private record Due(UUID sagaId, boolean owned) {}

    @Override
    public <T> List<T> queryAlone(
            Connection connection, String query, Sql.Mapper<T> mapper, @Nullable Object... parameters)
            throws SQLException {
        return sql.query(connection, query, mapper, parameters);
    }

    @Override
    public List<Claimed> claim(Connection connection, ClaimRequest request) throws SQLException {
        Instant now = now(connection);
        List<Iterator<Due>> byDefinition = new ArrayList<>();
        for (int definitionId : request.definitionIds()) {
            byDefinition.add(sql.query(
                            connection,
                            DUE,
                            row -> new Due(Rows.id(row, "saga_id"), row.getString("owner") != null),
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
        return Belongings.with(sql, connection, Taken.read(sql, connection, clock(), taken));
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
    public boolean claimOne(Connection connection, UUID sagaId, Lease lease, List<Integer> definitionIds)
            throws SQLException {
        Instant now = now(connection);
        boolean free = !sql.query(
                        connection,
                        "select saga_id from {q}instance where saga_id = ? and owner is null and due_at <= ? and "
                                + Dialect.among(definitionIds) + " and " + Words.KNOWN + " for update skip locked",
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
                                + " where saga_id = ? and epoch = ? and " + Words.KNOWN,
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
    public boolean insertIfAbsent(Connection connection, String insert, @Nullable Object... values)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            int count = sql.update(connection, insert, values);
            connection.releaseSavepoint(before);
            return count == 1;
        } catch (SQLException e) {
            BatchWriter.backTo(before, connection, e);
            if (!Failures.isDuplicate(e)) {
                throw e;
            }
            return false;
        }
    }

    /**
     * Waits as long as the session waits for locks, and again when whoever had inserted the row has taken it back. Above READ COMMITTED a row
     * may be in the way that this transaction never sees.
     */
    @Override
    public <T> T take(Connection connection, Taking taking, Taking.Values values, boolean keep, Sql.Mapper<T> mapper)
            throws SQLException {
        for (int tries = 0; tries < TRIES; tries++) {
            Savepoint before = connection.setSavepoint();
            try {
                List<T> inserted = sql.query(
                        connection,
                        "select " + taking.read() + " from final table (" + taking.insert() + ")",
                        mapper,
                        values.inserted().toArray());
                connection.releaseSavepoint(before);
                return inserted.get(0);
            } catch (SQLException e) {
                BatchWriter.backTo(before, connection, e);
                if (!Failures.isDuplicate(e)) {
                    throw e;
                }
            }
            Taking.Bound update = taking.update(values);
            sql.update(connection, update.statement(), update.values().toArray());
            List<T> there = sql.query(
                    connection, taking.select(), mapper, values.inserted().get(0));
            if (!there.isEmpty()) {
                return there.get(0);
            }
        }
        throw new SQLException(
                "a row is there that this transaction does not see: another one has written it since",
                Failures.SERIALIZATION);
    }

    /** Waits as long as the session waits for locks: see {@link #open}. */
    @Override
    public int updateInside(Connection connection, String update, @Nullable Object... values) throws SQLException {
        return sql.update(connection, update, values);
    }

    /** A row that both commit and rollback take away. The table is the session's own, and empty between transactions. */
    @Override
    public Mark mark(Connection connection) throws SQLException {
        sql.execute(connection, MARKS);
        sql.execute(connection, "insert into saga_step_mark values (1)");
        return () -> !sql.query(connection, "select mark from saga_step_mark", row -> 1)
                .isEmpty();
    }

    @Override
    public String clock() {
        return CLOCK;
    }

    @Override
    public String later() {
        return "dateadd(microsecond, ?, " + CLOCK + ")";
    }

    @Override
    public Object time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private Instant now(Connection connection) throws SQLException {
        return sql.query(connection, "select {q}clock()", row -> Instant.ofEpochMilli(row.getLong(1)))
                .get(0);
    }

    static @Nullable OffsetDateTime at(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
