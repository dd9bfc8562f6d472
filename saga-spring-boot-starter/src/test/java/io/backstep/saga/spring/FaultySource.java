package io.backstep.saga.spring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A DataSource each of whose JDBC calls is a place, by thread, method and statement, where one fault can be placed. */
final class FaultySource extends DelegatingDataSource {
    enum Fault {
        /** Nothing happens but an exception of the driver. */
        THROWN,
        /** The answer is lost. */
        LOST,
        /** An exception that JDBC does not know. */
        UNCHECKED,
        /** A driver that is not all there. */
        ERROR,
        /** The connection is gone from then on, and what was written on it. */
        BROKEN,
        /** For a moment. */
        HANGS
    }

    private static final Set<String> HARMLESS = Set.of("hashCode", "equals", "toString", "isWrapperFor", "unwrap");

    private final Set<String> places = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();
    private final Map<String, Fault> armed = new ConcurrentHashMap<>();

    FaultySource(DataSource real) {
        super(real);
    }

    /** Those that were called since the last time, in order. */
    List<String> newPlaces() {
        List<String> all = places.stream().sorted().toList();
        places.clear();
        return all;
    }

    /** The next call at each of these places has this fault, and no other. */
    void arm(Map<String, Fault> faults) {
        armed.putAll(faults);
    }

    /** Gives those that were not met. */
    Set<String> disarm() {
        Set<String> left = Set.copyOf(armed.keySet());
        armed.clear();
        return left;
    }

    /** How many connections are borrowed now. */
    int open() {
        return open.get();
    }

    private interface Call {
        Object now() throws Throwable;
    }

    private static final class Line {
        private volatile boolean broken;
        private final AtomicBoolean closed = new AtomicBoolean();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Line line = new Line();
        try {
            return (Connection) at("connect", line, null, () -> {
                Connection real = super.getConnection();
                open.incrementAndGet();
                return proxy(
                        Connection.class, (self, method, arguments) -> ofConnection(line, real, method, arguments));
            });
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(FaultySource.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private Object ofConnection(Line line, Connection real, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (HARMLESS.contains(name)) {
            return name.equals("equals") ? real == arguments[0] : invoked(real, method, arguments);
        }
        if (line.broken && (name.equals("isClosed") || name.equals("isValid"))) {
            return name.equals("isClosed");
        }
        if (name.equals("close")) {
            return at(name, line, null, () -> closed(line, real));
        }
        String sql = arguments != null && arguments[0] instanceof String text ? text : "";
        Object answer = at(name + " " + shown(sql), line, real, () -> invoked(real, method, arguments));
        if (!(answer instanceof Statement statement)) {
            return answer;
        }
        Class<?> type = answer instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
        return proxy(type, (self, inner, values) -> ofStatement(line, real, statement, sql, inner, values));
    }

    private Object ofStatement(
            Line line, Connection real, Statement statement, String sql, Method method, Object[] arguments)
            throws Throwable {
        String name = method.getName();
        String own =
                arguments != null && arguments[0] instanceof String text && name.startsWith("execute") ? text : sql;
        return name.startsWith("execute")
                ? at(name + " " + shown(own), line, real, () -> invoked(statement, method, arguments))
                : invoked(statement, method, arguments);
    }

    private Object closed(Line line, Connection real) throws SQLException {
        if (line.closed.compareAndSet(false, true)) {
            open.decrementAndGet();
        }
        real.close();
        return null;
    }

    /** A close that fails has closed all the same: else every pool would lose the connection. */
    private Object at(String what, Line line, Connection real, Call call) throws Throwable {
        String here = role() + ": " + what.strip();
        places.add(here);
        if (line.broken && !what.equals("close")) {
            throw new SQLException("the connection is gone", "08006");
        }
        Fault fault = armed.remove(here);
        if (fault == null) {
            return call.now();
        }
        if (what.equals("close") || fault == Fault.LOST && !what.equals("connect")) {
            call.now();
        }
        switch (fault) {
            case UNCHECKED -> throw new IllegalStateException("injected: unchecked");
            case ERROR -> throw new NoClassDefFoundError("injected: error");
            case BROKEN -> {
                line.broken = true;
                if (real != null) {
                    real.rollback();
                }
                throw new SQLException("injected: broken", "08006");
            }
            case HANGS -> {
                new CountDownLatch(1).await(1500, TimeUnit.MILLISECONDS);
                return what.equals("close") ? null : call.now();
            }
            default -> throw new SQLException("injected: " + fault, "08006");
        }
    }

    private static Object invoked(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static String role() {
        String name = Thread.currentThread().getName();
        return name.startsWith("saga-") ? name.replaceAll(".*-([a-z]+)-\\d+$", "$1") : "caller";
    }

    private static String shown(String sql) {
        String line = sql.strip().replaceAll("\\s+", " ");
        return line.length() > 70 ? line.substring(0, 70) : line;
    }
}
