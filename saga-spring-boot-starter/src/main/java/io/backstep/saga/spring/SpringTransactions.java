package io.backstep.saga.spring;

import io.backstep.saga.jdbc.JdbcConnections;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
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

    /**
     * Makes them.
     *
     * @param dataSource whose connection is bound to the thread by the transaction manager
     * @param manager asked once, at the first use: the transaction manager may need beans that need a SagaClient
     */
    SpringTransactions(DataSource dataSource, Supplier<PlatformTransactionManager> manager) {
        this.dataSource = dataSource;
        this.manager = SingletonSupplier.of(manager);
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

    @Override
    public boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive();
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

    /** Refuses a transaction of another DataSource: what is written beside it would survive its rollback. */
    @Override
    public Connection connection() {
        if (!isBound()) {
            throw foreign();
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        if (commitsByItself(connection)) {
            throw foreign();
        }
        return connection;
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
