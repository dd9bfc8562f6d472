package io.backstep.saga.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
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
                    if (method.getName().equals("prepareStatement")
                            || method.getName().equals("createStatement")) {
                        count.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof Connection connection ? wrapped(Connection.class, connection) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
