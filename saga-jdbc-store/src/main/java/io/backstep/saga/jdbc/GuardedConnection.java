package io.backstep.saga.jdbc;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a transaction that somebody else ends: it refuses to be committed, rolled back or closed, and remembers whether the
 * database has refused something, for whoever works on it may hide that.
 */
final class GuardedConnection implements InvocationHandler {
    private static final Set<String> REFUSED = Set.of("commit", "close", "setAutoCommit", "abort");

    private final Connection connection;
    private final Connection proxy;
    private volatile @Nullable SQLException failure;
    private volatile boolean yielded;
    private @Nullable Commit commit;

    /** A commit that writes something more. */
    interface Commit {
        void run(Connection connection) throws SQLException;
    }

    GuardedConnection(Connection connection) {
        this.connection = connection;
        this.proxy = proxy(Connection.class, this);
    }

    Connection connection() {
        return connection;
    }

    /** What is handed to those who work in the transaction. */
    Connection proxy() {
        return proxy;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Whether the transaction may be another one than it seems; of a connection that is not ours PostgreSQL's driver tells. */
    static boolean isSuspect(Connection connection) {
        GuardedConnection ours = ours(connection);
        return ours == null ? PostgresState.isFailed(connection) : ours.isSuspect();
    }

    private static @Nullable GuardedConnection ours(Connection connection) {
        return Proxy.isProxyClass(connection.getClass())
                        && Proxy.getInvocationHandler(connection) instanceof GuardedConnection ours
                ? ours
                : null;
    }

    private boolean isSuspect() {
        return failure != null || PostgresState.isFailed(connection);
    }

    /** Has a transaction of ours committed like this, if nothing has failed in it; false when it is not ours. */
    static boolean atCommit(Connection connection, Commit commit) {
        GuardedConnection ours = ours(connection);
        if (ours == null || ours.commit != null || ours.isSuspect()) {
            return false;
        }
        ours.commit = commit;
        return true;
    }

    /** How it is to be committed. */
    Commit commit() {
        return commit == null ? Connection::commit : commit;
    }

    /**
     * Before a commit. A transaction that has failed PostgreSQL would roll back then, and say nothing; one that had to yield in a deadlock
     * the others have rolled back by then, and what has followed is in a new one.
     *
     * @throws SagaStoreException when there is nothing to commit, or only a part
     */
    void requireWhole() {
        if (!isSuspect()) {
            return;
        }
        try {
            if (yielded && !hasSavepointsAfterDeadlocks()) {
                throw hidden(failure);
            }
            try (Statement question = connection.createStatement()) {
                question.execute("select 1");
            }
        } catch (SQLException e) {
            throw hidden(failure == null ? e : failure);
        }
    }

    private boolean hasSavepointsAfterDeadlocks() throws SQLException {
        return Product.named(connection.getMetaData().getDatabaseProductName()) == Product.POSTGRESQL;
    }

    private static SagaStoreException hidden(@Nullable SQLException why) {
        return new SagaStoreException(
                "SAGA-DB-021",
                "a statement failed, and the work went on; the database has rolled its transaction back, so nothing is committed: "
                        + (why == null ? "" : why.getMessage()),
                Effect.NONE,
                why);
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        boolean endsAll = name.equals("rollback") && arguments == null;
        if (endsAll || REFUSED.contains(name)) {
            throw new SQLException(
                    "SAGA-DB-007: " + name + "() on a connection of a transaction that the saga library ends;"
                            + " allowed is to use it and to leave it open",
                    "2D000");
        }
        Object result = call(self, connection, method, arguments);
        return result instanceof Statement statement ? watched(statement, method.getReturnType()) : result;
    }

    private <T> T watched(Statement statement, Class<T> type) {
        return proxy(
                type,
                (self, method, arguments) ->
                        method.getName().equals("getConnection") ? proxy : call(self, statement, method, arguments));
    }

    private @Nullable Object call(Object self, Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getName().equals("equals")) {
            return arguments != null && self == arguments[0];
        }
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof SQLException refused) {
                note(refused);
            }
            throw cause;
        }
    }

    /** A duplicate spoils no transaction but PostgreSQL's; on H2 the guard itself meets one each time that a row is there. */
    private void note(SQLException refused) {
        if (failure == null && !Failures.isDuplicate(refused)) {
            failure = refused;
        }
        yielded |= Failures.isRolledBack(refused);
    }
}
