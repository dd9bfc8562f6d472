package io.backstep.saga.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A data source that is watched from outside: what is borrowed, what is given back, and each call in between. */
final class Watched {
    interface Look {
        void at(Connection connection) throws SQLException;
    }

    /** Takes the place of a call on a connection. */
    interface Instead {
        Object of(Connection connection, Method method, Object[] arguments) throws Throwable;
    }

    private Watched() {}

    static DataSource wrap(DataSource dataSource, Look borrowed, Look returned) {
        return wrap(dataSource, borrowed, (connection, method, arguments) -> {
            if (method.getName().equals("close")) {
                returned.at(connection);
            }
            return call(connection, method, arguments);
        });
    }

    static DataSource wrap(DataSource dataSource, Look borrowed, Instead instead) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = call(dataSource, method, arguments);
            if (!(result instanceof Connection connection)) {
                return result;
            }
            borrowed.at(connection);
            return proxy(Connection.class, (of, called, with) -> instead.of(connection, called, with));
        });
    }

    static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
