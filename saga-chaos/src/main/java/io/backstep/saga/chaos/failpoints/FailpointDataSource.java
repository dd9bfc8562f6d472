package io.backstep.saga.chaos.failpoints;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source with a failpoint before and after every COMMIT that belongs to a call of the store, also one that goes along with a statement. */
final class FailpointDataSource {
    private static final String CONNECTION_LOST = "08006";
    private static final String ALONG = ";\ncommit";

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
        AtomicBoolean committed = new AtomicBoolean();
        return proxy(Connection.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "commit" -> {
                    if (!committed.getAndSet(false)) {
                        commit(connection, () -> {
                            connection.commit();
                            return true;
                        });
                        return null;
                    }
                }
                case "prepareStatement" -> {
                    Object statement = call(connection, method, arguments);
                    return statement instanceof PreparedStatement prepared && commitsAlong(arguments)
                            ? committing(connection, prepared, committed)
                            : statement;
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

    private static boolean commitsAlong(@Nullable Object @Nullable [] arguments) {
        return arguments != null && String.valueOf(arguments[0]).endsWith(ALONG);
    }

    private PreparedStatement committing(Connection connection, PreparedStatement statement, AtomicBoolean committed) {
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            if (!method.getName().equals("execute")) {
                return call(statement, method, arguments);
            }
            boolean rows = commit(connection, statement::execute);
            committed.set(true);
            return rows;
        });
    }

    private boolean commit(Connection connection, Commit commit) throws SQLException {
        String name = calls.committing();
        calls.transactionEnds();
        if (name == null) {
            return commit.run();
        }
        try {
            points.pass(name + ".commit", LostException::new);
            List<Traps.Armed> later = points.beforeCommit(name + ".committed", () -> backend(connection));
            boolean rows = commit.run();
            points.strike(later, LostException::new);
            return rows;
        } catch (LostException e) {
            throw new SQLException(e.getMessage(), CONNECTION_LOST, e);
        }
    }

    /** Not by a query: it would begin the transaction. By reflection, since the driver's classes do not compile without warnings. */
    private static int backend(Connection connection) {
        try {
            Class<?> driver = Class.forName("org.postgresql.PGConnection");
            return (int) driver.getMethod("getBackendPID").invoke(connection.unwrap(driver));
        } catch (SQLException | ReflectiveOperationException e) {
            throw new LostException(String.valueOf(e.getMessage()));
        }
    }

    private interface Commit {
        /** Gives what an execution gives. */
        boolean run() throws SQLException;
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
