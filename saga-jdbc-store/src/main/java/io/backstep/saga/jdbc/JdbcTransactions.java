package io.backstep.saga.jdbc;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions on plain JDBC, for services without a transaction framework. Bound to the thread. Safe for use by many threads.
 */
public class JdbcTransactions implements JdbcConnections {
    private static final Logger log = LoggerFactory.getLogger(JdbcTransactions.class);

    private record Bound(
            Connection connection,
            boolean ours,
            List<Runnable> hooks,
            @Nullable Bound outer) {}

    private final DataSource dataSource;

    @SuppressWarnings("ThreadLocalUsage") // one transaction per thread and object: that is what it is for
    private final ThreadLocal<@Nullable Bound> bound = new ThreadLocal<>();

    /**
     * Makes transactions.
     *
     * @param dataSource where connections come from; any autocommit setting will do
     */
    public JdbcTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Runs work in a transaction: in the one of the calling thread if there is one, else in a new one.
     *
     * @param work what to do
     * @param <T> what it returns
     * @return what the work returned; after the commit, when the transaction was new
     * @throws Exception what the work threw
     */
    public <T extends @Nullable Object> T run(Callable<T> work) throws Exception {
        return isActive() ? work.call() : inTransaction(work);
    }

    /**
     * Runs work that returns nothing, as {@link #run(Callable)} does.
     *
     * @param work what to do
     * @throws Exception what the work threw
     */
    public void run(Work work) throws Exception {
        run(callable(work));
    }

    /**
     * Lets work that returns nothing take part in a transaction that the caller holds, as {@link #join(Connection, Callable)} does.
     *
     * @param connection the caller's, with autocommit off; neither committed nor closed here
     * @param work what to do
     * @throws Exception what the work threw
     */
    public void join(Connection connection, Work work) throws Exception {
        join(connection, callable(work));
    }

    /** What is done in a transaction and returns nothing. */
    @FunctionalInterface
    public interface Work {
        /**
         * Does it.
         *
         * @throws Exception rolls a new transaction back
         */
        void run() throws Exception;
    }

    private static Callable<Boolean> callable(Work work) {
        return () -> {
            work.run();
            return true;
        };
    }

    /**
     * Lets work take part in a transaction that the caller holds: starts inside join it. The caller commits it, or rolls it back,
     * afterwards.
     *
     * @param connection the caller's, with autocommit off; neither committed nor closed here
     * @param work what to do
     * @param <T> what it returns
     * @return what the work returned
     * @throws Exception what the work threw
     */
    public <T extends @Nullable Object> T join(Connection connection, Callable<T> work) throws Exception {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the connection has autocommit on: it is in no transaction");
        }
        Bound outer = bound.get();
        bound.set(new Bound(connection, false, new ArrayList<>(), outer));
        try {
            return work.call();
        } finally {
            restore(outer);
        }
    }

    @Override
    public <T extends @Nullable Object> T inTransaction(Callable<T> work) throws Exception {
        Bound outer = bound.get();
        List<Runnable> hooks = new ArrayList<>();
        T result;
        try (OwnTransaction transaction = OwnTransaction.begin(dataSource)) {
            GuardedConnection guarded = new GuardedConnection(transaction.connection());
            bound.set(new Bound(guarded.proxy(), true, hooks, outer));
            try {
                result = work.call();
            } finally {
                restore(outer);
            }
            guarded.requireWhole();
            transaction.commit(guarded.commit());
        }
        hooks.forEach(JdbcTransactions::runHook);
        return result;
    }

    private void restore(@Nullable Bound outer) {
        if (outer == null) {
            bound.remove();
        } else {
            bound.set(outer);
        }
    }

    private static void runHook(Runnable hook) {
        try {
            hook.run();
        } catch (Throwable e) {
            log.error("SAGA-DB-009: what was to follow the commit failed; the commit stands", e);
        }
    }

    @Override
    public boolean isActive() {
        return bound.get() != null;
    }

    @Override
    public boolean isReadOnly() {
        Bound now = bound.get();
        try {
            return now != null && now.connection().isReadOnly();
        } catch (SQLException e) {
            throw new SagaStoreException("SAGA-DB-003", "the connection does not answer", Effect.NONE, e);
        }
    }

    @Override
    public void afterCommit(Runnable hook) {
        Bound now = required();
        if (now.ours()) {
            now.hooks().add(hook);
        }
    }

    @Override
    public Connection connection() {
        return required().connection();
    }

    private Bound required() {
        Bound now = bound.get();
        if (now == null) {
            throw new IllegalStateException("no transaction on this thread: use run(...) or join(...)");
        }
        return now;
    }
}
