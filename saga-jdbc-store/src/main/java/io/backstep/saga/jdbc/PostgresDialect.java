package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** PostgreSQL: one statement for a whole batch, its parts chained by RETURNING. */
final class PostgresDialect implements Dialect {
    /** READ COMMITTED, whatever the pool's default: one more round trip to find out would cost more than to say it. */
    static final String BEGIN = "set transaction isolation level read committed, read write;\n";

    /** Along with the last statement of a transaction of ours; the driver sees that nothing is left to commit. */
    static final String COMMIT = ";\ncommit";

    private static final String YIELD = "set local lock_timeout = '200ms';\n";

    /** Of a start that gives up here the caller waits on, by itself; meanwhile those behind it would wait, too. */
    private static final String YIELD_TO_A_START = "set local lock_timeout = '50ms';\n";

    private static final String HARDLY_WAIT = "set local lock_timeout = '10ms';\n";

    /** The application may go on in its transaction, as JPA does when it flushes: with its own setting. */
    private static final String LOCK_TIMEOUT = "select current_setting('lock_timeout')";

    private static final String KEEP_LOCK_TIMEOUT =
            "select set_config('saga.lock_timeout', current_setting('lock_timeout'), true);\n";

    private static final String BACK_TO_KEPT_LOCK_TIMEOUT =
            ";\nselect set_config('lock_timeout', current_setting('saga.lock_timeout'), true)";

    private static final String BACK_TO_LOCK_TIMEOUT = "select set_config('lock_timeout', ?, true)";
    private static final String SHORTLY = "set local lock_timeout = '2s'";
    /** A setting of the transaction: it ends with it, and needs neither rights nor a table. */
    private static final String MARK =
            "select set_config('saga.step', 'here', true), current_setting('transaction_read_only')";

    private static final String TAKE = """
            with s as materialized (select current_setting('lock_timeout') as before, set_config('lock_timeout', '2s', true))
            insert into {q}%s as g (%s) select %s from s
              on conflict (%s) do update set %s
              returning %s, set_config('lock_timeout', (select before from s), true)
            """;

    private static final String MARK_TAKE = "savepoint saga_take;\n";
    private static final String FORGET_TAKE = ";\nrelease savepoint saga_take";
    private static final String BACK_TO_TAKE = "rollback to savepoint saga_take; release savepoint saga_take";
    private static final String READ_ONLY = "25006";

    private static final String FIND_MARK = "select current_setting('saga.step', true)";

    /** Whoever has to wait longer asks again: others want to recover as well. */
    private static final String WAIT = "set local lock_timeout = '1s';\n";

    /**
     * A plan that was made while the tables were empty must not read all of them when they are full; nor all that is due, dead entries
     * included, to sort it and take a few: a bitmap of them would. The plan is kept: to make it takes several times as long as a claim
     * that finds nothing. Nor is it compiled: what a general plan may cost at most is so much that the server would compile it for each
     * claim, which takes a hundred times as long.
     */
    static final String BY_INDEX = """
            select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true);
            """;

    static final String LATER_OF_STATEMENT = "statement_timestamp() + ? * interval '1 microsecond'";

    /** What {@link #BY_INDEX} answers. */
    static final Sql.Reader SETTINGS = row -> {};

    static final Columns<NewInstance> STARTS = new Columns<NewInstance>()
            .with("saga_id", "uuid", NewInstance::sagaId)
            .with("definition_id", "int4", row -> row.definition().definitionId())
            .with("type_id", "int4", row -> row.definition().typeId())
            .with("parent_id", "uuid", Rows::parentId)
            .with("parent_step", "text", Rows::parentStep)
            .with("parent_output", "text", Rows::parentOutput)
            .with("business_key", "text", NewInstance::businessKey)
            .with("input_hash", "text", NewInstance::inputHash)
            .with("status", "text", row -> row.status().name())
            .with("steps", "text", NewInstance::steps)
            .with("input", "text", NewInstance::input)
            .with("format", "int4", NewInstance::format)
            .with(
                    "owner",
                    "text",
                    row -> row.lease() == null ? null : row.lease().owner())
            .with("due", "int8", row -> Rows.micros(row.due()))
            .with("deadline", "int8", row -> row.deadline() == null ? null : Rows.micros(row.deadline()));

    /** The sources, by the names n and t, of {@link #INSERT_THESE}. */
    static final String THESE = "n as (select * from {rows}), t as materialized (select clock_timestamp() as now)";

    static final String INSERT_THESE = """
            insert into {q}instance (saga_id, definition_id, type_id, parent_id, parent_step, parent_output, business_key,
                input_hash, status, steps, input, format, epoch, seq, owner, due_at, deadline, created_at, updated_at)
            select n.saga_id, n.definition_id, n.type_id, n.parent_id, n.parent_step, n.parent_output, n.business_key,
                n.input_hash, n.status, n.steps, n.input, n.format, case when n.owner is null then 0 else 1 end, 0,
                case when n.status in ('RUNNING', 'COMPENSATING') then n.owner end,
                case when n.status in ('RUNNING', 'COMPENSATING')
                  then t.now + n.due * interval '1 microsecond' end,
                t.now + n.deadline * interval '1 microsecond', t.now, t.now
              from n cross join t
            """;

    private static final String INSERT =
            "with " + THESE + "\n" + INSERT_THESE + "on conflict do nothing returning saga_id";

    private static final String INSERT_MANY = INSERT.replace("{rows}", STARTS.arrays() + STARTS.as("n"));
    private static final String INSERT_ONE = INSERT.replace("{rows}", STARTS.values(1) + STARTS.as("n"));

    private static final String LOCK =
            "select saga_id from {q}instance where saga_id = any(?) order by saga_id for update skip locked";

    private static final String CLAIM_ONE = """
            update {q}instance i set owner = ?, due_at = clock_timestamp() + ? * interval '1 microsecond',
                epoch = i.epoch + 1, updated_at = clock_timestamp()
              from (select saga_id from {q}instance where saga_id = ? and owner is null and definition_id = any(?)
                  and due_at <= statement_timestamp() and %s for update skip locked) free
              where i.saga_id = free.saga_id returning i.saga_id
            """.formatted(Words.KNOWN);

    private static final String RECOVER = """
            update {q}instance set epoch = epoch + 1, owner = ?, due_at = clock_timestamp() + ? * interval '1 microsecond',
                updated_at = clock_timestamp()
              where saga_id = ? and epoch = ? and %s returning saga_id
            """.formatted(Words.KNOWN);

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
    private final Map<Taking, String> takes = new ConcurrentHashMap<>();
    private final PostgresClaims claims;

    PostgresDialect(Sql sql, Reach reach) {
        this.sql = sql;
        this.claims = new PostgresClaims(sql, reach);
    }

    @Override
    public OwnTransaction begin(DataSource dataSource) {
        return OwnTransaction.begin(dataSource);
    }

    @Override
    public void open(Connection connection) throws SQLException {
        sql.execute(connection, BEGIN + BY_INDEX);
    }

    @Override
    public Set<UUID> insert(Connection connection, List<NewInstance> batch, Place place) throws SQLException {
        String insert = insertOf(batch);
        Object[] parameters = parametersOf(connection, batch).toArray();
        Set<UUID> inserted = new HashSet<>();
        List<Sql.Reader> ids = List.of(row -> inserted.add(id(row)));
        switch (place) {
            case FIRST -> sql.readAndCommit(connection, BEGIN + YIELD_TO_A_START + insert + COMMIT, ids, parameters);
            case OPENED -> sql.read(connection, HARDLY_WAIT + insert, ids, parameters);
            case INSIDE -> sql.read(connection, insert, ids, parameters);
        }
        return inserted;
    }

    private static String insertOf(List<NewInstance> batch) {
        return batch.size() == 1 ? INSERT_ONE : INSERT_MANY;
    }

    private static List<@Nullable Object> parametersOf(Connection connection, List<NewInstance> batch)
            throws SQLException {
        return batch.size() == 1 ? STARTS.parameters(batch) : STARTS.parameters(connection, batch);
    }

    @Override
    public Set<UUID> write(Connection connection, List<Mutation> mutations, List<NewInstance> starts)
            throws SQLException {
        StringBuilder statements = new StringBuilder(BEGIN + YIELD + BY_INDEX);
        List<@Nullable Object> parameters = new ArrayList<>();
        Set<UUID> written = new HashSet<>();
        List<Sql.Reader> readers = new ArrayList<>(List.of(SETTINGS));
        if (!mutations.isEmpty()) {
            PostgresSubmit submit = PostgresSubmit.of(connection, mutations);
            statements.append(submit.statement());
            parameters.addAll(submit.parameters());
            readers.add(row -> written.add(id(row)));
        }
        if (!starts.isEmpty()) {
            statements.append(mutations.isEmpty() ? "" : ";\n").append(insertOf(starts));
            parameters.addAll(parametersOf(connection, starts));
            readers.add(row -> written.add(id(row)));
        }
        sql.readAndCommit(connection, statements.append(COMMIT).toString(), readers, parameters.toArray());
        return written;
    }

    @Override
    public boolean commitsAlong() {
        return true;
    }

    @Override
    public Set<UUID> submit(Connection connection, List<Mutation> batch, Place place) throws SQLException {
        PostgresSubmit submit = PostgresSubmit.of(connection, batch);
        String update = submit.statement();
        Object[] parameters = submit.parameters().toArray();
        Set<UUID> written = new HashSet<>();
        Sql.Reader ids = row -> written.add(id(row));
        if (place == Place.INSIDE) {
            String statements = KEEP_LOCK_TIMEOUT + YIELD + update + BACK_TO_KEPT_LOCK_TIMEOUT;
            sql.read(connection, statements, List.of(SETTINGS, ids, SETTINGS), parameters);
        } else {
            sql.read(connection, update, List.of(ids), parameters);
        }
        return written;
    }

    @Override
    public Set<UUID> lock(Connection connection, List<UUID> sagaIds) throws SQLException {
        return ids(connection, LOCK, connection.createArrayOf("uuid", sagaIds.toArray()));
    }

    private Set<UUID> ids(Connection connection, String statement, @Nullable Object... parameters) throws SQLException {
        return new HashSet<>(sql.query(connection, statement, PostgresDialect::id, parameters));
    }

    private static UUID id(ResultSet row) throws SQLException {
        return row.getObject("saga_id", UUID.class);
    }

    @Override
    public <T> List<T> queryAlone(
            Connection connection, String query, Sql.Mapper<T> mapper, @Nullable Object... parameters)
            throws SQLException {
        List<T> all = new ArrayList<>();
        List<Sql.Reader> readers = List.of(SETTINGS, row -> all.add(mapper.map(row)));
        sql.read(connection, BEGIN + BY_INDEX + query + COMMIT, readers, parameters);
        return all;
    }

    @Override
    public List<Claimed> claim(Connection connection, ClaimRequest request) throws SQLException {
        return claims.claim(connection, request);
    }

    @Override
    public boolean takesCommits() {
        return true;
    }

    @Override
    public boolean claimOne(Connection connection, UUID sagaId, Lease lease, List<Integer> definitionIds)
            throws SQLException {
        Array known = connection.createArrayOf("int4", definitionIds.toArray());
        return ids(connection, BEGIN + CLAIM_ONE, lease.owner(), Rows.micros(lease.duration()), sagaId, known)
                .contains(sagaId);
    }

    @Override
    public boolean recover(Connection connection, Held held, Lease lease) throws SQLException {
        return ids(
                        connection,
                        BEGIN + WAIT + RECOVER,
                        lease.owner(),
                        Rows.micros(lease.duration()),
                        held.sagaId(),
                        held.epoch())
                .contains(held.sagaId());
    }

    @Override
    public Set<UUID> renew(Connection connection, List<Held> held, Lease lease) throws SQLException {
        return ids(
                connection,
                BEGIN + RENEW,
                connection.createArrayOf("uuid", held.stream().map(Held::sagaId).toArray()),
                connection.createArrayOf("int8", held.stream().map(Held::epoch).toArray()),
                lease.owner(),
                Rows.micros(lease.duration()));
    }

    @Override
    public boolean insertIfAbsent(Connection connection, String insert, @Nullable Object... values)
            throws SQLException {
        return sql.update(connection, insert + " on conflict do nothing", values) == 1;
    }

    /** One statement, which waits less long than the session would, and gives the session its limit back. */
    @Override
    public <T> T take(Connection connection, Taking taking, Taking.Values values, boolean keep, Sql.Mapper<T> mapper)
            throws SQLException {
        String statement = takes.computeIfAbsent(taking, PostgresDialect::written);
        if (!keep) {
            return sql.query(connection, statement, mapper, values.all()).get(0);
        }
        try {
            return sql.query(connection, MARK_TAKE + statement + FORGET_TAKE, mapper, values.all())
                    .get(0);
        } catch (SQLException e) {
            try {
                sql.execute(connection, BACK_TO_TAKE);
            } catch (SQLException notEven) {
                e.addSuppressed(notEven);
            }
            throw e;
        }
    }

    private static String written(Taking taking) {
        return TAKE.formatted(
                        taking.table(),
                        taking.names(),
                        taking.values(),
                        taking.key(),
                        taking.assignments(),
                        taking.read())
                .replace("old.", "g.")
                .replace("new.", "excluded.");
    }

    @Override
    public int updateInside(Connection connection, String update, @Nullable Object... values) throws SQLException {
        String before = lockTimeout(connection);
        sql.execute(connection, SHORTLY);
        int count = sql.update(connection, update, values);
        sql.query(connection, BACK_TO_LOCK_TIMEOUT, row -> "", before);
        return count;
    }

    private String lockTimeout(Connection connection) throws SQLException {
        return sql.query(connection, LOCK_TIMEOUT, row -> row.getString(1)).get(0);
    }

    /** Refuses a transaction in which user code could write nothing, as those of a database that was made read-only. */
    @Override
    public Mark mark(Connection connection) throws SQLException {
        if (sql.query(connection, MARK, row -> row.getString(2)).contains("on")) {
            throw new SQLException(
                    "the transaction of the step is read-only, by default_transaction_read_only", READ_ONLY);
        }
        return () -> sql.query(connection, FIND_MARK, row -> row.getString(1)).contains("here");
    }

    @Override
    public String clock() {
        return "clock_timestamp()";
    }

    @Override
    public String laterOfStatement() {
        return LATER_OF_STATEMENT;
    }

    @Override
    public String later() {
        return "clock_timestamp() + ? * interval '1 microsecond'";
    }

    @Override
    public Object time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
