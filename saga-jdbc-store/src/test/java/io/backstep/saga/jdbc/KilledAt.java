package io.backstep.saga.jdbc;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Ends its own JVM by {@code kill -9} before or after the n-th call that goes to a database, whichever that is. */
final class KilledAt {
    private final int point;
    private final AtomicInteger calls = new AtomicInteger();

    /** Even points are before a call, odd ones after it; a negative point never comes. */
    KilledAt(int point) {
        this.point = point;
    }

    int calls() {
        return calls.get();
    }

    DataSource of(DataSource dataSource) {
        return wrapped(DataSource.class, dataSource);
    }

    private <T> T wrapped(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> unwrapped(called(target, method, arguments))));
    }

    private @Nullable Object unwrapped(@Nullable Object result) {
        if (result instanceof Connection connection) {
            return wrapped(Connection.class, connection);
        }
        if (result instanceof PreparedStatement statement) {
            return wrapped(PreparedStatement.class, statement);
        }
        return result instanceof Statement statement ? wrapped(Statement.class, statement) : result;
    }

    private @Nullable Object called(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        boolean counts = method.getName().startsWith("execute")
                || method.getName().equals("commit")
                || (method.getName().equals("rollback") && arguments == null);
        int call = counts ? calls.getAndIncrement() : Integer.MIN_VALUE;
        if (call * 2 == point) {
            die();
        }
        try {
            Object result = method.invoke(target, arguments);
            if (call * 2 + 1 == point) {
                die();
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void die() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start();
        new CountDownLatch(1).await();
    }
}
