package io.backstep.saga.jdbc;

import io.backstep.saga.participant.GuardCall;
import io.backstep.saga.participant.GuardRow;
import io.backstep.saga.participant.GuardState;
import io.backstep.saga.participant.GuardStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rows of the participant guard in {@code saga_guard}, on PostgreSQL, H2 or MariaDB. Needs no other table
 * ({@link SagaSchema#participantDdl}) and no engine. Works on the connection of the calling thread's transaction.
 */
public final class JdbcGuardStore implements GuardStore {
    private final JdbcConnections connections;
    private final SagaSchema.Options options;
    private volatile @Nullable GuardStatements known;

    private JdbcGuardStore(JdbcConnections connections, SagaSchema.Options options) {
        this.connections = connections;
        this.options = options;
    }

    /**
     * Makes a store on the default table, see {@link #create(DataSource, JdbcConnections, SagaSchema.Options)}.
     *
     * @param dataSource the participant's database
     * @param connections the transactions of the same database
     * @return the store
     */
    public static JdbcGuardStore create(DataSource dataSource, JdbcConnections connections) {
        return create(dataSource, connections, SagaSchema.Options.DEFAULT);
    }

    /**
     * Makes a store. The database is first asked at the first call, on the connection of the transaction that the call is in, and
     * {@link io.backstep.saga.SagaConfigurationException} {@code SAGA-CFG-002} is thrown then when it is not supported.
     *
     * @param dataSource the participant's database
     * @param connections the transactions of the same database
     * @param options where the table is
     * @return the store
     */
    public static JdbcGuardStore create(
            DataSource dataSource, JdbcConnections connections, SagaSchema.Options options) {
        return new JdbcGuardStore(connections, options);
    }

    @Override
    public GuardRow action(GuardCall call) {
        return on(call.operationId(), (statements, connection) -> statements.action(connection, call));
    }

    @Override
    public GuardRow compensation(GuardCall call) {
        return on(call.operationId(), (statements, connection) -> statements.compensation(connection, call));
    }

    @Override
    public GuardRow confirmation(GuardCall call) {
        return on(call.operationId(), (statements, connection) -> statements.confirmation(connection, call));
    }

    @Override
    public boolean settle(String operationId, UUID token, GuardState from, GuardState to, @Nullable String result) {
        return on(
                operationId,
                (statements, connection) -> statements.settle(connection, operationId, token, from, to, result));
    }

    @Override
    public boolean keep(String operationId, UUID token, GuardState state, String result) {
        return on(
                operationId,
                (statements, connection) -> statements.keep(connection, operationId, token, state, result));
    }

    /** Looks only when a statement has failed in this transaction, as far as that is known. */
    @Override
    public boolean isKept(String operationId, UUID token, GuardState state) {
        return !GuardedConnection.isSuspect(connections.connection())
                || on(
                        operationId,
                        (statements, connection) -> statements.isThere(connection, operationId, token, state));
    }

    @Override
    public int purge(Duration age, int limit) {
        return on("purge", (statements, connection) -> statements.purge(connection, age, limit));
    }

    private interface Statement<T> {
        T run(GuardStatements statements, Connection connection) throws SQLException;
    }

    private <T> T on(String operationId, Statement<T> statement) {
        try {
            Connection connection = connections.connection();
            return statement.run(statements(connection), connection);
        } catch (SQLException e) {
            throw Failures.ofOperation(operationId, e);
        }
    }

    private GuardStatements statements(Connection connection) throws SQLException {
        GuardStatements statements = known;
        if (statements == null) {
            Product product = SagaSchema.product(connection);
            Sql sql = new Sql(options, product);
            statements = new GuardStatements(sql, product.dialect(sql, new Reach(System::nanoTime)));
            known = statements;
        }
        return statements;
    }
}
