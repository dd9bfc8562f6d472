package io.backstep.saga.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

/** Work in a transaction that the application has part in: whatever the work fails with, the transaction stays usable. */
final class Savepoints {
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    private Savepoints() {}

    /**
     * An insert that tells whether it has inserted. A row that the caller's snapshot must not see is in the way all the same; but
     * when there is no way back the failure was a deadlock, and the transaction is over.
     */
    static boolean inserted(Connection connection, Work<Boolean> insert) throws SQLException {
        Savepoint before = connection.setSavepoint();
        boolean inserted;
        try {
            inserted = insert.run(connection);
        } catch (SQLException e) {
            BatchWriter.backTo(before, connection, e);
            if (Failures.isSerialization(e)) {
                return false;
            }
            throw e;
        }
        connection.releaseSavepoint(before);
        return inserted;
    }

    /** Goes back before it throws what the work has thrown. */
    static <T> T behind(Connection connection, Work<T> work) throws SQLException {
        Savepoint before = connection.setSavepoint();
        T result;
        try {
            result = work.run(connection);
        } catch (SQLException e) {
            BatchWriter.backTo(before, connection, e);
            throw e;
        } catch (RuntimeException e) {
            BatchWriter.backTo(before, connection, e);
            throw e;
        }
        connection.releaseSavepoint(before);
        return result;
    }
}
