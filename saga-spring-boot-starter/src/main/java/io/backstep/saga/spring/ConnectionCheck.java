package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks at start-up, by a transaction, that the application's transactions and the store share one connection. */
final class ConnectionCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCheck.class);

    private final DataSource dataSource;
    private final SpringTransactions transactions;
    private final PoolSize pool;

    ConnectionCheck(DataSource dataSource, SpringTransactions transactions, PoolSize pool) {
        this.dataSource = dataSource;
        this.transactions = transactions;
        this.pool = pool;
    }

    /**
     * Checks that the transaction manager can be told, without a look at the database.
     *
     * @throws SagaConfigurationException {@code SAGA-CFG-008} when it cannot
     */
    void manager() {
        transactions.manager();
    }

    /**
     * Checks that a transaction binds a connection of the DataSource.
     *
     * @throws SagaConfigurationException {@code SAGA-CFG-008} when sagas would not roll back with the application's data
     */
    void connection() {
        transactions.learnPool();
        if (!isShared()) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-008",
                    "a transaction of " + transactions.manager().getClass().getName()
                            + " does not use a connection of the sagas' DataSource (" + dataSource + "), so that a saga"
                            + " would survive a rollback of the application's data. Give the transaction manager the very"
                            + " DataSource bean (a hand-made JpaTransactionManager: setDataSource; a proxy: make the proxy"
                            + " the bean), or name the right beans by saga.datasource and saga.transaction-manager");
        }
    }

    private boolean isShared() {
        try {
            return transactions.inTransaction(transactions::isBound);
        } catch (IllegalStateException e) {
            LOG.debug("a transaction without synchronization binds nothing", e);
            return false;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e); // the work throws none
        }
    }

    /**
     * Checks that a lease can be renewed while a transactional step holds a connection.
     *
     * @param definitions that this node runs
     * @throws SagaConfigurationException {@code SAGA-CFG-006} when the pool is too small
     */
    void poolFor(List<SagaDefinition<?>> definitions) {
        String step = firstTransactional(definitions);
        if (step != null && pool.isOne()) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-006",
                    "the connection pool has a maximum of 1, and " + step
                            + " is transactional; allowed is 2 or more, because leases are renewed while it runs");
        }
    }

    private static @Nullable String firstTransactional(List<SagaDefinition<?>> definitions) {
        for (SagaDefinition<?> definition : definitions) {
            for (StepDefinition step : definition.steps()) {
                if (step.transactional() || step.compensationTransactional()) {
                    return "step " + step.name() + " of " + definition;
                }
            }
        }
        return null;
    }
}
