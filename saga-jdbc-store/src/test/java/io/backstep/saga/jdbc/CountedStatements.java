package io.backstep.saga.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Counts the statements that are sent. */
final class CountedStatements {
    interface Work {
        void run() throws Exception;
    }

    private final DataSource dataSource;
    private final AtomicInteger count = new AtomicInteger();

    CountedStatements(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    int during(Work work) throws Exception {
        count.set(0);
        work.run();
        return count.get();
    }

    DataSource dataSource() {
        return wrapped(DataSource.class, dataSource);
    }

    private <T> T wrapped(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (target instanceof Statement && method.getName().startsWith("execute")) {
                        count.incrementAndGet();
                    }
                    Object result = call(target, method, arguments);
                    return result instanceof Connection || result instanceof Statement
                            ? wrappedAs(method.getReturnType(), result)
                            : result;
                }));
    }

    private <T> T wrappedAs(Class<T> type, Object target) {
        return wrapped(type, type.cast(target));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
