package io.backstep.saga.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows whether the transaction of a thread has ended. While callbacks run after a commit or rollback, Spring still reports it as active
 * and its connection is still bound, but nothing commits what is written there.
 */
final class TransactionEnds implements TransactionExecutionListener {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionEnds.class);

    /** What each transaction has bound to the thread, and whether it is over; weak: nobody says when the last callback has run. */
    private static final ThreadLocal<Map<Object, Boolean>> OVER = ThreadLocal.withInitial(WeakHashMap::new);

    private final DataSource dataSource;

    TransactionEnds(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Watches the transactions of a manager; once, however often it is asked.
     *
     * @param manager of transactions on the DataSource
     */
    void watch(PlatformTransactionManager manager) {
        if (!(manager instanceof ConfigurableTransactionManager configurable)) {
            LOG.warn(
                    "{} takes no TransactionExecutionListener: a saga that an after-commit callback starts may be lost;"
                            + " start it inside the transaction, or in one of its own",
                    manager.getClass().getName());
            return;
        }
        Collection<TransactionExecutionListener> before = configurable.getTransactionExecutionListeners();
        if (!before.contains(this)) {
            List<TransactionExecutionListener> all = new ArrayList<>(before); // other threads may read what is there
            all.add(this);
            configurable.setTransactionExecutionListeners(all);
        }
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null
                && transaction.isNewTransaction()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            note(false);
            TransactionSynchronizationManager.registerSynchronization(new End());
        }
    }

    /**
     * Whether the transaction of this thread is over, and callbacks run.
     *
     * @return true also inside a transaction that takes part in one that is over
     */
    boolean isOver() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return true; // Spring ends it before afterCompletion
        }
        return Boolean.TRUE.equals(noted());
    }

    /**
     * Whether the transaction of this thread was begun by a manager that is watched.
     *
     * @return false when nobody knows
     */
    boolean isKnown() {
        return noted() != null;
    }

    private @Nullable Boolean noted() {
        Object bound = TransactionSynchronizationManager.getResource(dataSource);
        return bound == null ? null : OVER.get().get(bound);
    }

    private void note(boolean over) {
        Object bound = TransactionSynchronizationManager.getResource(dataSource);
        if (bound != null) {
            OVER.get().put(bound, over);
        }
    }

    /** Before all others, so that each of their callbacks finds the transaction ended. */
    private final class End implements TransactionSynchronization, PriorityOrdered {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            note(true);
        }

        @Override
        public void afterCompletion(int status) {
            note(true);
        }
    }
}
