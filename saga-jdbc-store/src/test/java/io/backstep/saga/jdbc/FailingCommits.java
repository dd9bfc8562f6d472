package io.backstep.saga.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Wraps a data source: commits fail as a lost connection makes them fail. */
final class FailingCommits {
    enum Mode {
        NONE,
        /** The connection is lost before the commit arrives. */
        NOT_APPLIED,
        /** The connection is lost before the answer arrives. */
        APPLIED,
        /** The database says that it has rolled back. */
        REFUSED
    }

    volatile Mode mode = Mode.NONE;

    DataSource wrap(DataSource dataSource) {
        return Watched.wrap(dataSource, borrowed -> {}, (connection, method, arguments) -> {
            if (!method.getName().equals("commit") || mode == Mode.NONE) {
                return Watched.call(connection, method, arguments);
            }
            throw failed(connection);
        });
    }

    private SQLException failed(Connection connection) throws SQLException {
        if (mode == Mode.APPLIED) {
            connection.commit();
        } else {
            connection.rollback();
        }
        return mode == Mode.REFUSED
                ? new SQLException("could not serialize access", "40001")
                : new SQLException("an I/O error occurred", "08006");
    }
}
