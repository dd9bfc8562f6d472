package io.backstep.saga.chaos.failpoints;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source with a failpoint before and after every COMMIT that belongs to a call of the store. */
final class FailpointDataSource {
    private static final String CONNECTION_LOST = "08006";

    private final Traps points;
    private final Calls calls;

    private FailpointDataSource(Traps points, Calls calls) {
        this.points = points;
        this.calls = calls;
    }

    static DataSource around(DataSource dataSource, Traps points, Calls calls) {
        FailpointDataSource around = new FailpointDataSource(points, calls);
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = call(dataSource, method, arguments);
            return result instanceof Connection connection ? around.around(connection) : result;
        });
    }

    private Connection around(Connection connection) {
        return proxy(Connection.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "commit" -> {
                    commit(connection);
                    return null;
                }
                case "rollback", "close" -> {
                    if (arguments == null) {
                        calls.transactionEnds();
                    }
                }
                default -> {}
            }
            return call(connection, method, arguments);
        });
    }

    private void commit(Connection connection) throws SQLException {
        String name = calls.committing();
        calls.transactionEnds();
        if (name == null) {
            connection.commit();
            return;
        }
        try {
            points.pass(name + ".commit", LostException::new);
            List<Traps.Armed> later = points.beforeCommit(name + ".committed", () -> backend(connection));
            connection.commit();
            points.strike(later, LostException::new);
        } catch (LostException e) {
            throw new SQLException(e.getMessage(), CONNECTION_LOST, e);
        }
    }

    private static int backend(Connection connection) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            throw new LostException(String.valueOf(e.getMessage()));
        }
    }

    /** The connection is gone, with or without the COMMIT. */
    private static final class LostException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private LostException(String point) {
            super("An I/O error occurred while sending to the backend, injected at " + point);
        }
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
