package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** PostgreSQL: one statement for a whole batch, its parts chained by RETURNING. */
final class PostgresDialect implements Dialect {
    private static final String INSERT = """
            with n as (
              select * from unnest(?::uuid[], ?::int[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                  ?::int[], ?::text[], ?::bigint[], ?::bigint[])
                as n(saga_id, definition_id, type_id, business_key, input_hash, status, steps, input,
                  format, owner, lease, deadline)
            ), t as materialized (select clock_timestamp() as now)
            insert into {q}instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
            select n.saga_id, n.definition_id, n.type_id, n.business_key, n.input_hash, n.status, n.steps, n.input, n.format,
                case when n.owner is null then 0 else 1 end, 0,
                case when n.status in ('RUNNING', 'COMPENSATING') then n.owner end,
                case when n.status in ('RUNNING', 'COMPENSATING')
                  then t.now + coalesce(n.lease, 0) * interval '1 microsecond' end,
                t.now + n.deadline * interval '1 microsecond', t.now, t.now
              from n cross join t
            on conflict do nothing
            returning saga_id
            """;

    private static final String SUBMIT = """
            with m as (
              select * from unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
                as m(saga_id, epoch, seq, status, reason, steps, hold, micros)
            ), u as (
              update {q}instance i set seq = i.seq + 1, status = m.status, reason = m.reason,
                  steps = coalesce(m.steps, i.steps),
                  owner = case when m.hold in ('RELEASE', 'END') then null else i.owner end,
                  due_at = case m.hold when 'KEEP' then i.due_at when 'END' then null
                    else clock_timestamp() + m.micros * interval '1 microsecond' end,
                  updated_at = clock_timestamp()
                from m where i.saga_id = m.saga_id and i.epoch = m.epoch and i.seq = m.seq
                returning i.saga_id, i.seq
            ), h as (
              insert into {q}step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, reason, result,
                  error_code, error_text, started_at, duration, node)
              select u.saga_id, u.seq, h.ordinal, h.step, h.phase, h.attempt, h.outcome, h.reason, h.result,
                  h.error_code, h.error_text, clock_timestamp() - h.duration * interval '1 microsecond', h.duration, h.node
                from u join unnest(?::uuid[], ?::int[], ?::text[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[],
                    ?::text[], ?::text[], ?::bigint[], ?::text[])
                  as h(saga_id, ordinal, step, phase, attempt, outcome, reason, result, error_code, error_text, duration, node)
                  on h.saga_id = u.saga_id
            ), c as (
              insert into {q}compensation_log as l (saga_id, step, position, status, retry_count, next_retry_at, request,
                  response, last_error, created_at, updated_at)
              select u.saga_id, c.step, c.position, c.status, c.retry_count,
                  clock_timestamp() + c.next_retry * interval '1 microsecond', c.request, c.response, c.last_error,
                  clock_timestamp(), clock_timestamp()
                from u join unnest(?::uuid[], ?::text[], ?::int[], ?::text[], ?::int[], ?::bigint[], ?::text[], ?::text[],
                    ?::text[])
                  as c(saga_id, step, position, status, retry_count, next_retry, request, response, last_error)
                  on c.saga_id = u.saga_id
              on conflict (saga_id, step) do update set position = excluded.position, status = excluded.status,
                  retry_count = excluded.retry_count, next_retry_at = excluded.next_retry_at, request = excluded.request,
                  response = coalesce(excluded.response, l.response), last_error = coalesce(excluded.last_error, l.last_error),
                  updated_at = excluded.updated_at
            )
            select saga_id from u
            """;

    private static final String CLAIM = """
            with due as materialized (
              select l.saga_id, l.definition_id, l.owner, l.due_at
                from unnest(?::int[]) as d(id) cross join lateral (
                  select saga_id, definition_id, owner, due_at from {q}instance
                    where definition_id = d.id and due_at <= statement_timestamp()
                    order by due_at limit ? for update skip locked) l
            ), chosen as materialized (
              select saga_id, owner from (
                  select saga_id, owner, due_at, row_number() over (partition by definition_id order by due_at) as place
                    from due) ranked
                order by place, due_at limit ?
            )
            update {q}instance i set owner = ?, due_at = clock_timestamp() + ? * interval '1 microsecond',
                epoch = i.epoch + 1, updated_at = clock_timestamp()
              from chosen where i.saga_id = chosen.saga_id
              returning i.saga_id, chosen.owner is not null as taken_over
            """;

    private static final String CLAIM_ONE = """
            update {q}instance i set owner = ?, due_at = clock_timestamp() + ? * interval '1 microsecond',
                epoch = i.epoch + 1, updated_at = clock_timestamp()
              from (select saga_id from {q}instance where saga_id = ? and owner is null
                  and due_at <= statement_timestamp() for update skip locked) free
              where i.saga_id = free.saga_id
            """;

    private static final String RECOVER = """
            update {q}instance set epoch = epoch + 1, owner = ?, due_at = clock_timestamp() + ? * interval '1 microsecond',
                updated_at = clock_timestamp()
              where saga_id = ? and epoch = ? and status in ('RUNNING', 'COMPENSATING')
            """;

    private static final String RENEW = """
            with mine as materialized (
              select i.saga_id from {q}instance i
                join unnest(?::uuid[], ?::bigint[]) as h(saga_id, epoch) on h.saga_id = i.saga_id and h.epoch = i.epoch
                where i.owner = ? and i.status in ('RUNNING', 'COMPENSATING')
                order by i.saga_id for update of i skip locked
            )
            update {q}instance i set due_at = clock_timestamp() + ? * interval '1 microsecond'
              from mine where i.saga_id = mine.saga_id returning i.saga_id
            """;

    private final Sql sql;

    PostgresDialect(Sql sql) {
        this.sql = sql;
    }

    @Override
    public Set<UUID> insert(Connection connection, List<NewInstance> batch) throws SQLException {
        return ids(connection, INSERT, new InsertArrays(connection, batch).parameters());
    }

    @Override
    public Set<UUID> submit(Connection connection, List<Mutation> batch) throws SQLException {
        return ids(connection, SUBMIT, new MutationArrays(connection, batch).parameters());
    }

    private Set<UUID> ids(Connection connection, String statement, Object... parameters) throws SQLException {
        return new HashSet<>(sql.query(connection, statement, PostgresDialect::id, parameters));
    }

    private static UUID id(ResultSet row) throws SQLException {
        return row.getObject("saga_id", UUID.class);
    }

    @Override
    public Map<UUID, Boolean> claim(Connection connection, ClaimRequest request) throws SQLException {
        Map<UUID, Boolean> taken = new HashMap<>();
        sql.query(
                connection,
                CLAIM,
                row -> taken.put(id(row), row.getBoolean("taken_over")),
                connection.createArrayOf("int4", request.definitionIds().toArray()),
                request.limit(),
                request.limit(),
                request.lease().owner(),
                Rows.micros(request.lease().duration()));
        return taken;
    }

    @Override
    public boolean claimOne(Connection connection, UUID sagaId, Lease lease) throws SQLException {
        return sql.update(connection, CLAIM_ONE, lease.owner(), Rows.micros(lease.duration()), sagaId) == 1;
    }

    @Override
    public boolean recover(Connection connection, Held held, Lease lease) throws SQLException {
        return sql.update(
                        connection, RECOVER, lease.owner(), Rows.micros(lease.duration()), held.sagaId(), held.epoch())
                == 1;
    }

    @Override
    public Set<UUID> renew(Connection connection, List<Held> held, Lease lease) throws SQLException {
        return ids(
                connection,
                RENEW,
                connection.createArrayOf("uuid", held.stream().map(Held::sagaId).toArray()),
                connection.createArrayOf("int8", held.stream().map(Held::epoch).toArray()),
                lease.owner(),
                Rows.micros(lease.duration()));
    }

    @Override
    public void insertIfAbsent(Connection connection, String table, String columns, Object... values)
            throws SQLException {
        String marks = "?, ".repeat(values.length - 1) + "?";
        sql.update(
                connection,
                "insert into {q}" + table + " (" + columns + ") values (" + marks + ") on conflict do nothing",
                values);
    }

    @Override
    public void limitLockWait(Connection connection, long millis) throws SQLException {
        sql.query(connection, "select set_config('lock_timeout', ?, true)", row -> "", millis + "ms");
    }

    @Override
    public String clock() {
        return "clock_timestamp()";
    }

    @Override
    public boolean isLockFailure(SQLException failure) {
        return "55P03".equals(failure.getSQLState()) || "40P01".equals(failure.getSQLState());
    }
}
