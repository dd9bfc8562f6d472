package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * MariaDB, and MySQL with it: no UPDATE ... RETURNING, so rows are locked first, by reads that see what is committed whatever the
 * isolation, and then written. What an update counts depends on a setting of the driver (rows found, or rows changed): asked for
 * only in {@link #updateInside}, whose updates change every row that they find.
 */
final class MariaDbDialect implements Dialect {
    private static final Logger log = LoggerFactory.getLogger(MariaDbDialect.class);

    static final String ACTIVE = "status in ('RUNNING', 'COMPENSATING')";

    /** For this transaction only: nothing stays on a pooled connection. */
    private static final String BEGIN = "set transaction isolation level read committed, read write";

    private static final String INSERT = """
            insert into {q}instance (saga_id, definition_id, type_id, parent_id, parent_step, parent_output, business_key,
                input_hash, status, steps, input, format, epoch, seq, owner, due_at, deadline, created_at, updated_at)
              values {rows}
            """;

    private static final String ROW =
            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, utc_timestamp(6) + interval ? microsecond,"
                    + " utc_timestamp(6) + interval ? microsecond, utc_timestamp(6), utc_timestamp(6))";

    private static final String LOCK = "select saga_id from {q}instance where saga_id = any(?) for update skip locked";

    private static final String FREE = """
            select saga_id from {q}instance where saga_id = ? and owner is null and due_at <= utc_timestamp(6) and %s and\s
            """.formatted(Words.KNOWN);

    private static final String MINE =
            "select saga_id from {q}instance where saga_id = ? and epoch = ? and " + Words.KNOWN + " for update";

    private static final String STILL_MINE =
            "select saga_id, epoch from {q}instance where saga_id = any(?) and owner = ?" + " and " + ACTIVE
                    + " for update skip locked";

    private static final String RENEW =
            "update {q}instance set due_at = utc_timestamp(6) + interval ? microsecond where saga_id = any(?)";

    private static final Pattern NEW_VALUE = Pattern.compile("new\\.(\\w+)");

    private final Sql sql;
    private final Map<Taking, String> takes = new ConcurrentHashMap<>();
    private final MariaDbSubmit submit;
    private final MariaDbClaims claims;
    private final String mine;
    private final String atOnce;
    private final String yielding;
    private final String patient;
    private final boolean returning;

    MariaDbDialect(Sql sql, Product product) {
        if (product == Product.MYSQL) {
            log.warn("the database is MySQL; Backstep is tested on MariaDB, never on MySQL; it goes on as on MariaDB");
        }
        this.sql = sql;
        this.submit = new MariaDbSubmit(sql, product, this);
        this.claims = new MariaDbClaims(sql, clock());
        this.mine = MINE + product.wait(1);
        this.atOnce = waiting(product, 0);
        this.yielding = waiting(product, 1);
        this.patient = waiting(product, 2);
        this.returning = product == Product.MARIADB;
    }

    /** Leads a statement that waits for locks for so long; MySQL has none, and waits as long as its session does. */
    private static String waiting(Product product, int seconds) {
        return product == Product.MARIADB
                ? "set statement innodb_lock_wait_timeout = " + seconds + ", " + Binding.Bytes.STRICT + " for "
                : "";
    }

    @Override
    public OwnTransaction begin(DataSource dataSource) {
        OwnTransaction transaction = OwnTransaction.begin(dataSource);
        try {
            openAgain(transaction.connection());
            return transaction;
        } catch (SQLException | RuntimeException e) {
            transaction.close();
            throw new SagaStoreException("SAGA-DB-004", "no transaction can begin: " + e.getMessage(), Effect.NONE, e);
        } catch (Error e) {
            transaction.close();
            throw e;
        }
    }

    /** Done by {@link #begin}. */
    @Override
    public void open(Connection connection) {}

    @Override
    public void openAgain(Connection connection) throws SQLException {
        sql.execute(connection, BEGIN);
    }

    /**
     * All at once; one by one when some row is in the way. A statement that fails leaves nothing of itself. In a transaction of ours
     * nobody waits for whoever inserts the same: the limit has whole seconds, and neighbours would wait as well.
     */
    @Override
    public Set<UUID> insert(Connection connection, List<NewInstance> batch, Place place) throws SQLException {
        Set<UUID> inserted = new HashSet<>();
        String lead = place == Place.INSIDE ? "" : atOnce;
        if (insertAll(connection, lead, batch)) {
            batch.forEach(row -> inserted.add(row.sagaId()));
        } else if (batch.size() > 1) {
            for (NewInstance row : batch) {
                if (insertAll(connection, lead, List.of(row))) {
                    inserted.add(row.sagaId());
                }
            }
        }
        return inserted;
    }

    private boolean insertAll(Connection connection, String lead, List<NewInstance> batch) throws SQLException {
        String rows = String.join(", ", Collections.nCopies(batch.size(), ROW));
        List<@Nullable Object> values = new ArrayList<>();
        batch.forEach(row -> addValues(row, values));
        return insertIfAbsent(connection, lead + INSERT.replace("{rows}", rows), values.toArray());
    }

    private static void addValues(NewInstance row, List<@Nullable Object> values) {
        Lease lease = row.lease();
        boolean active = row.status().active();
        long due = Rows.micros(row.due());
        values.add(row.sagaId());
        values.add(row.definition().definitionId());
        values.add(row.definition().typeId());
        values.add(Rows.parentId(row));
        values.add(Rows.parentStep(row));
        values.add(Rows.parentOutput(row));
        values.add(row.businessKey());
        values.add(row.inputHash());
        values.add(row.status().name());
        values.add(row.steps());
        values.add(row.input());
        values.add(row.format());
        values.add(lease == null ? 0 : 1);
        values.add(lease == null || !active ? null : lease.owner());
        values.add(active ? due : null);
        values.add(row.deadline() == null ? null : Rows.micros(row.deadline()));
    }

    @Override
    public Set<UUID> submit(Connection connection, List<Mutation> batch, Place place) throws SQLException {
        return submit.write(connection, batch, place);
    }

    @Override
    public Set<UUID> lock(Connection connection, List<UUID> sagaIds) throws SQLException {
        return ids(connection, LOCK, sagaIds);
    }

    @Override
    public <T> List<T> queryAlone(
            Connection connection, String query, Sql.Mapper<T> mapper, @Nullable Object... parameters)
            throws SQLException {
        return sql.query(connection, query, mapper, parameters);
    }

    @Override
    public String byDue() {
        return MariaDbClaims.BY_DUE;
    }

    @Override
    public List<Claimed> claim(Connection connection, ClaimRequest request) throws SQLException {
        return claims.claim(connection, request);
    }

    @Override
    public boolean claimOne(Connection connection, UUID sagaId, Lease lease, List<Integer> definitionIds)
            throws SQLException {
        Set<UUID> free = ids(connection, FREE + Dialect.among(definitionIds) + " for update skip locked", sagaId);
        claims.take(connection, List.copyOf(free), lease);
        return !free.isEmpty();
    }

    @Override
    public boolean recover(Connection connection, Held held, Lease lease) throws SQLException {
        Set<UUID> own = ids(connection, mine, held.sagaId(), held.epoch());
        claims.take(connection, List.copyOf(own), lease);
        return !own.isEmpty();
    }

    @Override
    public Set<UUID> renew(Connection connection, List<Held> held, Lease lease) throws SQLException {
        if (held.isEmpty()) {
            return Set.of();
        }
        List<UUID> asked = held.stream().map(Held::sagaId).toList();
        Set<Held> owned = new HashSet<>(sql.query(
                connection,
                STILL_MINE,
                row -> new Held(Rows.id(row, "saga_id"), row.getLong("epoch")),
                asked,
                lease.owner()));
        List<UUID> renewed =
                held.stream().filter(owned::contains).map(Held::sagaId).toList();
        if (!renewed.isEmpty()) {
            sql.update(connection, RENEW, Rows.micros(lease.duration()), renewed);
        }
        return Set.copyOf(renewed);
    }

    private Set<UUID> ids(Connection connection, String query, @Nullable Object... values) throws SQLException {
        return new HashSet<>(sql.query(connection, query, row -> Rows.id(row, "saga_id"), values));
    }

    @Override
    public boolean insertIfAbsent(Connection connection, String insert, @Nullable Object... values)
            throws SQLException {
        try {
            sql.update(connection, insert, values);
            return true;
        } catch (SQLException e) {
            if (Failures.isDuplicate(e)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * A plain INSERT would keep a shared lock on the row in its way, and two that then want to write it would wait for each other. A
     * failed statement leaves the transaction usable by itself, but for a deadlock.
     */
    @Override
    public <T> T take(Connection connection, Taking taking, Taking.Values values, boolean keep, Sql.Mapper<T> mapper)
            throws SQLException {
        String statement = takes.computeIfAbsent(taking, this::written);
        if (returning) {
            return sql.query(connection, statement, mapper, values.all()).get(0);
        }
        sql.update(connection, statement, values.all());
        Object key = values.inserted().get(0);
        return sql.query(connection, taking.select() + " for update", mapper, key)
                .get(0);
    }

    private String written(Taking taking) {
        String statement = NEW_VALUE
                .matcher(patient + taking.insert() + " on duplicate key update " + taking.assignmentsInOrder())
                .replaceAll("values($1)")
                .replace("old.", "");
        return returning ? statement + " returning " + taking.read() : statement;
    }

    @Override
    public boolean insertInside(Connection connection, String insert, @Nullable Object... values) throws SQLException {
        return insertIfAbsent(connection, yielding + insert, values);
    }

    /** Each raises the epoch. */
    @Override
    public int updateInside(Connection connection, String update, @Nullable Object... values) throws SQLException {
        return sql.update(connection, yielding + update, values);
    }

    @Override
    public String clock() {
        return "utc_timestamp(6)";
    }

    @Override
    public String later() {
        return "(utc_timestamp(6) + interval ? microsecond)";
    }

    @Override
    public Object time(Instant instant) {
        return LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }
}
