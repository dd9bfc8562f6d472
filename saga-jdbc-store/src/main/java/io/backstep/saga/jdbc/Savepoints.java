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

    /** Goes back before it throws what the work has thrown. */
    static <T> T behind(Connection connection, Work<T> work) throws SQLException {
        Savepoint before = connection.setSavepoint();
        T result;
        try {
            result = work.run(connection);
        } catch (SQLException e) {
            BatchWriter.backTo(before, connection, e);
            throw e;
        }
        connection.releaseSavepoint(before);
        return result;
    }
}
