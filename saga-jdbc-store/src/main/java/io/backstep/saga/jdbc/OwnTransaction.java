package io.backstep.saga.jdbc;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A transaction on a borrowed connection, which is given back as it was. */
final class OwnTransaction implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OwnTransaction.class);
    private static final int AS_IT_IS = Connection.TRANSACTION_NONE;

    private final Connection connection;
    private final boolean autoCommit;
    private final int isolationBefore;
    private boolean over;

    private OwnTransaction(Connection connection, int isolation) throws SQLException {
        this.connection = connection;
        this.isolationBefore = isolation == AS_IT_IS ? AS_IT_IS : connection.getTransactionIsolation();
        if (isolationBefore != isolation) {
            connection.setTransactionIsolation(isolation);
        }
        this.autoCommit = connection.getAutoCommit();
        if (autoCommit) {
            connection.setAutoCommit(false);
        }
    }

    /** Begins, at the isolation of the connection. A failure has no effect. */
    static OwnTransaction begin(DataSource dataSource) {
        return begin(dataSource, AS_IT_IS);
    }

    /** Begins at an isolation. */
    static OwnTransaction begin(DataSource dataSource, int isolation) {
        try {
            Connection connection = dataSource.getConnection();
            try {
                return new OwnTransaction(connection, isolation);
            } catch (SQLException | RuntimeException | Error e) {
                giveBack(connection, e);
                throw e;
            }
        } catch (SQLException | RuntimeException e) { // pools throw either
            throw new SagaStoreException("SAGA-DB-004", "no transaction can begin: " + e.getMessage(), Effect.NONE, e);
        }
    }

    private static void giveBack(Connection connection, Throwable why) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            why.addSuppressed(e);
        }
    }

    Connection connection() {
        return connection;
    }

    void commit() {
        commit(Connection::commit);
    }

    void commit(GuardedConnection.Commit how) {
        try {
            how.run(connection);
            over = true;
        } catch (SagaStoreException e) {
            throw e;
        } catch (SQLException | RuntimeException e) {
            throw Failures.onCommit(e);
        }
    }

    /** Rolls back unless committed. Autocommit comes back last: switching it on would commit what is open. */
    @Override
    public void close() {
        try (connection) {
            if (!over) {
                connection.rollback();
            }
            if (isolationBefore != AS_IT_IS && isolationBefore != connection.getTransactionIsolation()) {
                connection.setTransactionIsolation(isolationBefore);
            }
            if (autoCommit) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException | RuntimeException e) {
            log.debug("a connection could not be given back cleanly", e);
        }
    }
}
