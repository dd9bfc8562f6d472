package io.backstep.saga.spring;

import io.backstep.saga.jdbc.JdbcConnections;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * The application's transactions on one DataSource, those of Spring Data JPA included. Isolation and timeout are what the
 * transaction manager does when nothing is said, so the database's or the pool's default counts.
 */
final class SpringTransactions implements JdbcConnections {
    private static final TransactionDefinition OWN =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

    private final DataSource dataSource;
    private final SingletonSupplier<PlatformTransactionManager> manager;
    private final TransactionEnds ends;
    private final BooleanSupplier onlyOneConnection;
    private volatile boolean poolIsManual;

    /**
     * Makes them.
     *
     * @param dataSource whose connection is bound to the thread by the transaction manager
     * @param managers asked once, at the first use, because a transaction manager may need beans that need a SagaClient: all of the
     *     DataSource, first the one whose transactions are used
     * @param onlyOneConnection whether the pool has but one
     */
    SpringTransactions(
            DataSource dataSource,
            Supplier<List<PlatformTransactionManager>> managers,
            BooleanSupplier onlyOneConnection) {
        this.dataSource = dataSource;
        this.ends = new TransactionEnds(dataSource);
        this.manager = SingletonSupplier.of(() -> watched(managers.get()));
        this.onlyOneConnection = onlyOneConnection;
    }

    private PlatformTransactionManager watched(List<PlatformTransactionManager> managers) {
        managers.forEach(ends::watch);
        return managers.get(0);
    }

    @Override
    public <T extends @Nullable Object> T inTransaction(Callable<T> work) throws Exception {
        PlatformTransactionManager transactions = manager.obtain();
        TransactionStatus status = begin(transactions);
        CommitWatch watch = new CommitWatch();
        T result;
        try {
            result = work.call();
            TransactionSynchronizationManager.registerSynchronization(watch); // behind those of the work
        } catch (Throwable failure) {
            rollBack(transactions, status, failure);
            throw failure;
        }
        watch.commit(transactions, status);
        return result;
    }

    private static TransactionStatus begin(PlatformTransactionManager transactions) {
        try {
            return transactions.getTransaction(OWN);
        } catch (RuntimeException e) {
            throw new SagaStoreException("SAGA-DB-004", "no transaction can begin", Effect.NONE, e);
        }
    }

    private static void rollBack(PlatformTransactionManager transactions, TransactionStatus status, Throwable why) {
        try {
            transactions.rollback(status);
        } catch (RuntimeException e) {
            why.addSuppressed(e); // without a commit the database rolls back when the connection goes
        }
    }

    /** Not while callbacks run after its end: what they do needs a transaction, and a connection, of its own. */
    @Override
    public boolean isActive() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        boolean over = ends.isOver();
        if (over && onlyOneConnection.getAsBoolean()) {
            throw new SagaStoreException(
                    "SAGA-DB-020",
                    "the transaction of this thread has ended, but holds the only connection of the pool until all its"
                            + " callbacks have run; allowed are a start inside the transaction, or a pool of 2 or more",
                    Effect.NONE,
                    null);
        }
        return !over;
    }

    @Override
    public boolean isReadOnly() {
        return isActive() && TransactionSynchronizationManager.isCurrentTransactionReadOnly();
    }

    @Override
    public void afterCommit(Runnable hook) {
        if (!isActive()) {
            throw new IllegalStateException("there is no transaction that could commit");
        }
        TransactionSynchronizationManager.registerSynchronization(new AfterCommit(hook));
    }

    /** Whoever has begun it: what is known is ended by its manager, with its callbacks. */
    @Override
    public void rollBackLeftOpen() {
        ends.rollBackLeftOpen();
    }

    /** Refuses a transaction of another DataSource: what is written beside it would survive its rollback. */
    @Override
    public Connection connection() {
        if (!isBound()) {
            throw foreign();
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        if (commitsByItself(connection) || (poolIsManual && !ends.isKnown())) {
            throw foreign();
        }
        return connection;
    }

    /** Of a pool whose connections come with autocommit off, such a connection does not tell that a transaction was begun on it. */
    void learnPool() {
        try (Connection connection = dataSource.getConnection()) {
            poolIsManual = !connection.getAutoCommit();
        } catch (SQLException e) {
            throw new SagaStoreException("SAGA-DB-003", "the database gives no connection", Effect.NONE, e);
        }
    }

    /** Whether the transaction of this thread, if there is one, holds a connection of the DataSource. */
    boolean isBound() {
        return isActive() && TransactionSynchronizationManager.hasResource(dataSource);
    }

    PlatformTransactionManager manager() {
        return manager.obtain();
    }

    private static boolean commitsByItself(Connection connection) {
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            throw new SagaStoreException("SAGA-DB-003", "the connection does not answer", Effect.NONE, e);
        }
    }

    private static SagaStoreException foreign() {
        return new SagaStoreException(
                "SAGA-DB-006",
                "the transaction of this thread is not one of the sagas' DataSource; allowed are none, or one of the"
                        + " transaction manager that belongs to it (saga.datasource, saga.transaction-manager)",
                Effect.NONE,
                null);
    }
}
