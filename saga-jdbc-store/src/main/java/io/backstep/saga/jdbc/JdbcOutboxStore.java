package io.backstep.saga.jdbc;

import io.backstep.saga.messaging.FailedMessage;
import io.backstep.saga.messaging.OutboxBacklog;
import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMark;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the outbox in {@code saga_outbox} and {@code saga_outbox_lane}, on PostgreSQL, H2 or MariaDB. Needs no other table
 * ({@link SagaSchema#participantDdl}) and no engine. Messages are inserted on the connection of the calling thread's transaction; a
 * connection is borrowed for each other call.
 */
public final class JdbcOutboxStore implements OutboxStore {
    private record Known(Dialect dialect, OutboxStatements statements) {}

    private final DataSource dataSource;
    private final JdbcConnections connections;
    private final SagaSchema.Options options;
    private volatile @Nullable Known known;

    private JdbcOutboxStore(DataSource dataSource, JdbcConnections connections, SagaSchema.Options options) {
        this.dataSource = dataSource;
        this.connections = connections;
        this.options = options;
    }

    /**
     * Makes a store on the default tables, see {@link #create(DataSource, JdbcConnections, SagaSchema.Options)}.
     *
     * @param dataSource the database
     * @param connections the transactions of the same database
     * @return the store
     */
    public static JdbcOutboxStore create(DataSource dataSource, JdbcConnections connections) {
        return create(dataSource, connections, SagaSchema.Options.DEFAULT);
    }

    /**
     * Makes a store. The database is first asked at the first call, and {@link io.backstep.saga.SagaConfigurationException} is thrown then:
     * {@code SAGA-CFG-014} when it does not answer, {@code SAGA-CFG-002} when it is not supported.
     *
     * @param dataSource the database
     * @param connections the transactions of the same database
     * @param options where the tables are
     * @return the store
     */
    public static JdbcOutboxStore create(
            DataSource dataSource, JdbcConnections connections, SagaSchema.Options options) {
        return new JdbcOutboxStore(dataSource, connections, options);
    }

    @Override
    public void insert(UUID id, OutboxMessage message) {
        try {
            Connection connection = connections.connection();
            Known here = known;
            if (here == null) {
                here = know(SagaSchema.product(connection));
            }
            here.statements().insert(connection, id, message);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    @Override
    public Optional<OutboxBatch> claim(String owner, Duration lease, int limit) {
        return alone((statements, connection) -> statements.claim(connection, owner, lease, limit));
    }

    @Override
    public boolean settle(OutboxBatch batch, List<OutboxMark> marks) {
        return alone((statements, connection) -> statements.settle(connection, batch, marks));
    }

    @Override
    public OutboxBacklog backlog() {
        return alone(OutboxStatements::backlog);
    }

    @Override
    public List<FailedMessage> failed(int limit) {
        return alone((statements, connection) -> statements.failed(connection, limit));
    }

    @Override
    public boolean requeue(UUID id) {
        return alone((statements, connection) -> statements.requeue(connection, id));
    }

    @Override
    public boolean discard(UUID id) {
        return alone((statements, connection) -> statements.discard(connection, id));
    }

    @Override
    public int purge(Duration age, int limit) {
        return alone((statements, connection) -> statements.purge(connection, age, limit));
    }

    private interface Work<T> {
        T run(OutboxStatements statements, Connection connection) throws SQLException;
    }

    private <T> T alone(Work<T> work) {
        Known here = known();
        try (OwnTransaction transaction = here.dialect().begin(dataSource)) {
            here.dialect().open(transaction.connection());
            T result = work.run(here.statements(), transaction.connection());
            transaction.commit();
            return result;
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    private Known known() {
        Known here = known;
        return here == null ? know(SagaSchema.product(dataSource)) : here;
    }

    private Known know(Product product) {
        Sql sql = new Sql(options, product);
        Dialect dialect = product.dialect(sql, new Reach(System::nanoTime));
        Known here = new Known(dialect, new OutboxStatements(sql, dialect));
        known = here;
        return here;
    }
}
