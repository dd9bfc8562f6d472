package io.backstep.saga.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection of a transaction that somebody else ends: it refuses to be committed, rolled back or closed. */
final class GuardedConnection implements InvocationHandler {
    private static final Set<String> REFUSED = Set.of("commit", "close", "setAutoCommit", "abort");

    private final Connection connection;

    private GuardedConnection(Connection connection) {
        this.connection = connection;
    }

    Connection connection() {
        return connection;
    }

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new GuardedConnection(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        boolean endsAll = name.equals("rollback") && arguments == null;
        if (endsAll || REFUSED.contains(name)) {
            throw new SQLException(
                    "SAGA-DB-007: " + name + "() on a connection of a transaction that the saga library ends;"
                            + " allowed is to use it and to leave it open",
                    "2D000");
        }
        if (name.equals("equals")) {
            return arguments != null && proxy == arguments[0];
        }
        return call(method, arguments);
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
