package io.backstep.saga.jdbc;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Dies when so many statements that make our tables, and what is in them from the start, have been done. */
final class DyingMigration {
    enum Death {
        /** The whole node: it does nothing any more, on any connection. */
        OF_THE_NODE,
        /** The connection, as when somebody kills it. */
        OF_THE_CONNECTION,
        /** The database says that it could not, though it is done. */
        OF_THE_STATEMENT
    }

    private static final Pattern MAKES = Pattern.compile("create table if not exists|insert ignore into");

    private final Death death;
    private int left;

    DyingMigration(Death death, int statements) {
        this.death = death;
        this.left = statements;
    }

    DataSource wrap(DataSource dataSource) {
        return Watched.wrap(
                dataSource,
                borrowed -> {
                    if (death == Death.OF_THE_NODE) {
                        alive();
                    }
                },
                this::call);
    }

    private Object call(Connection connection, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("close") || method.getName().equals("isClosed")) {
            return Watched.call(connection, method, arguments);
        }
        if (death == Death.OF_THE_NODE) {
            alive();
        }
        Object result = Watched.call(connection, method, arguments);
        return result instanceof Statement statement ? watched(connection, statement) : result;
    }

    private Statement watched(Connection connection, Statement statement) {
        Class<?> type = statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
        return (Statement)
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    Object result = Watched.call(statement, method, arguments);
                    if (makes(method, arguments) && --left == 0) {
                        die(connection);
                    }
                    return result;
                });
    }

    private static boolean makes(Method method, Object[] arguments) {
        return method.getName().startsWith("execute")
                && arguments != null
                && MAKES.matcher(String.valueOf(arguments[0])).find();
    }

    private void die(Connection connection) throws SQLException {
        if (death != Death.OF_THE_STATEMENT) {
            connection.abort(Runnable::run);
        }
        throw new SQLException("died on purpose", "HY000", 1114);
    }

    private void alive() throws SQLException {
        if (left <= 0) {
            throw new SQLException("dead", "08006");
        }
    }
}
