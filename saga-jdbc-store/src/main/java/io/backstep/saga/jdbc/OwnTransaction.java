package io.backstep.saga.jdbc;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A transaction of ours on a borrowed connection, which is given back as it was. READ COMMITTED, whatever the pool's default. */
final class OwnTransaction implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OwnTransaction.class);

    private final Connection connection;
    private final boolean autoCommit;
    private final int isolation;
    private boolean over;

    private OwnTransaction(Connection connection) throws SQLException {
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        this.isolation = connection.getTransactionIsolation();
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        if (autoCommit) {
            connection.setAutoCommit(false);
        }
    }

    /** Begins. A failure has no effect. */
    static OwnTransaction begin(DataSource dataSource) {
        try {
            Connection connection = dataSource.getConnection();
            try {
                return new OwnTransaction(connection);
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw new SagaStoreException("SAGA-DB-004", "no transaction can begin: " + e.getMessage(), Effect.NONE, e);
        }
    }

    Connection connection() {
        return connection;
    }

    /** Commits. After a failure nobody knows, unless the database itself says that it rolled back. */
    void commit() {
        try {
            connection.commit();
            over = true;
        } catch (SQLException e) {
            boolean rolledBack = String.valueOf(e.getSQLState()).startsWith("40") && !"40003".equals(e.getSQLState());
            throw new SagaStoreException(
                    "SAGA-DB-005",
                    "the commit failed: " + e.getMessage(),
                    rolledBack ? Effect.NONE : Effect.UNKNOWN,
                    e);
        }
    }

    @Override
    public void close() {
        try (connection) {
            if (!over) {
                connection.rollback();
            }
            if (autoCommit) {
                connection.setAutoCommit(true);
            }
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(isolation);
            }
        } catch (SQLException e) {
            log.debug("a connection could not be given back cleanly", e);
        }
    }
}
