package io.backstep.saga.jdbc;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.TransactionalWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Keeps sagas in the tables of {@link SagaSchema}, on PostgreSQL or H2. Borrows a connection for each call and gives it back before the
 * callback is told; joined starts and transactional steps use the connection of their transaction. Blocks the calling thread.
 */
public final class JdbcSagaStore implements SagaStore {
    private final DataSource dataSource;
    private final JdbcConnections transactions;
    private final Dialect dialect;
    private final Reads reads;
    private final BatchWriter writer;
    private final Definitions definitions;
    private final Inserts inserts;

    private JdbcSagaStore(DataSource dataSource, JdbcConnections transactions, SagaSchema.Options options) {
        Sql sql = new Sql(options);
        this.dataSource = dataSource;
        this.transactions = transactions;
        this.dialect = switch (SagaSchema.product(dataSource)) {
            case POSTGRESQL -> new PostgresDialect(sql);
            case H2 -> new H2Dialect(sql);
        };
        this.reads = new Reads(sql, dialect);
        this.writer = new BatchWriter(sql, dialect);
        this.definitions = new Definitions(sql, dialect);
        this.inserts = new Inserts(dialect, reads);
    }

    /**
     * Makes a store on the default tables.
     *
     * @param dataSource the database
     * @param transactions of the same database
     * @return the store
     */
    public static JdbcSagaStore create(DataSource dataSource, JdbcConnections transactions) {
        return create(dataSource, transactions, SagaSchema.Options.DEFAULT);
    }

    /**
     * Makes a store.
     *
     * @param dataSource the database
     * @param transactions of the same database
     * @param options where the tables are
     * @return the store
     * @throws io.backstep.saga.SagaConfigurationException {@code SAGA-CFG-014} when the database does not answer, {@code SAGA-CFG-002} when
     *     it is not supported
     */
    public static JdbcSagaStore create(
            DataSource dataSource, JdbcConnections transactions, SagaSchema.Options options) {
        return new JdbcSagaStore(dataSource, transactions, options);
    }

    private interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        return inOwnTransaction(connection -> definitions.register(connection, name, version, fingerprint));
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        answer(callback, connection -> inserts.insert(connection, batch));
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        try {
            return inserts.insertJoined(transactions.connection(), instance);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        answer(callback, connection -> writer.write(connection, batch));
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        Acceptance answer = null;
        Throwable failure = null;
        try {
            answer = transactions.inTransaction(() -> recorded(work.run()));
        } catch (NotAccepted e) {
            answer = e.acceptance;
        } catch (Throwable e) {
            failure = e;
        }
        callback.done(answer, failure);
    }

    private Acceptance recorded(Mutation mutation) throws NotAccepted {
        Acceptance acceptance;
        try {
            acceptance = writer.writeInside(transactions.connection(), mutation);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
        if (acceptance.kind() != Acceptance.Kind.ACCEPTED) {
            throw new NotAccepted(acceptance);
        }
        return acceptance;
    }

    /** Rolls back. */
    private static final class NotAccepted extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient Acceptance acceptance;

        private NotAccepted(Acceptance acceptance) {
            super(acceptance.kind().name(), acceptance.cause(), false, false);
            this.acceptance = acceptance;
        }
    }

    @Override
    public boolean isTransient(Throwable failure) {
        return Failures.isTransient(failure);
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        answer(callback, connection -> reads.claimed(connection, dialect.claim(connection, request)));
    }

    @Override
    public void claimOne(UUID sagaId, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answer(
                callback,
                connection ->
                        dialect.claimOne(connection, sagaId, lease) ? taken(connection, sagaId) : Optional.empty());
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answer(
                callback,
                connection ->
                        dialect.recover(connection, held, lease) ? taken(connection, held.sagaId()) : Optional.empty());
    }

    private Optional<Claimed> taken(Connection connection, UUID sagaId) throws SQLException {
        return reads.claimed(connection, Map.of(sagaId, false)).stream().findFirst();
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        answer(callback, connection -> dialect.renew(connection, held, lease));
    }

    @Override
    public Optional<InstanceRow> find(UUID sagaId) {
        return read(connection -> reads.byId(connection, sagaId));
    }

    @Override
    public Optional<InstanceRow> find(String name, String businessKey) {
        return read(connection -> reads.byKey(connection, name, businessKey));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId) {
        return read(connection -> reads.history(connection, sagaId));
    }

    @Override
    public List<CompensationRow> compensations(UUID sagaId) {
        return read(connection -> reads.compensations(connection, sagaId));
    }

    private <T> void answer(StoreCallback<T> callback, Work<T> work) {
        T answer = null;
        Throwable failure = null;
        try {
            answer = inOwnTransaction(work);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        callback.done(answer, failure);
    }

    private <T> T inOwnTransaction(Work<T> work) {
        try (OwnTransaction transaction = dialect.begin(dataSource)) {
            T answer = work.run(transaction.connection());
            transaction.commit();
            return answer;
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    /** In the caller's transaction, if there is one: it sees what that has written, and needs no second connection. */
    private <T> T read(Work<T> work) {
        try {
            return transactions.isActive() ? work.run(transactions.connection()) : inOwnTransaction(work);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }
}
