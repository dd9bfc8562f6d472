package io.backstep.saga.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows whether the transaction of a thread has ended, and ends those that were left open. While callbacks run after a commit or
 * rollback, Spring still reports it as active and its connection is still bound, but nothing commits what is written there.
 */
final class TransactionEnds {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionEnds.class);

    /** What each transaction has bound to the thread, and whether it is over; weak: nobody says when the last callback has run. */
    private static final ThreadLocal<Map<Object, Boolean>> OVER = ThreadLocal.withInitial(WeakHashMap::new);

    /** What this thread has begun with a watched manager and not ended; the last one first. */
    private static final ThreadLocal<Deque<Begun>> BEGUN = ThreadLocal.withInitial(ArrayDeque::new);

    private record Begun(PlatformTransactionManager manager, TransactionStatus status) {}

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
        if (before.stream().noneMatch(this::isMine)) {
            List<TransactionExecutionListener> all = new ArrayList<>(before); // other threads may read what is there
            all.add(new Watch(manager));
            configurable.setTransactionExecutionListeners(all);
        }
    }

    private boolean isMine(TransactionExecutionListener listener) {
        return listener instanceof Watch watch && watch.ends() == this;
    }

    /** Frees the thread of all transactions that it is in. */
    void rollBackLeftOpen() {
        Deque<Begun> begun = BEGUN.get();
        while (TransactionSynchronizationManager.isActualTransactionActive() && !begun.isEmpty()) {
            rollBack(begun.pop());
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            tearOff();
        }
    }

    private static void rollBack(Begun left) {
        try {
            if (!left.status().isCompleted()) {
                left.manager().rollback(left.status());
            }
        } catch (RuntimeException e) {
            LOG.warn("a transaction that was left open cannot be rolled back; its connection is closed", e);
        }
    }

    /** Of managers that nobody watches: what they have bound to the thread is all that is known. */
    private static void tearOff() {
        LOG.warn(
                "a transaction of a manager that is not the sagas' was left open; its connections are rolled back and closed");
        for (Object key :
                List.copyOf(TransactionSynchronizationManager.getResourceMap().keySet())) {
            if (TransactionSynchronizationManager.unbindResourceIfPossible(key) instanceof ConnectionHolder holder) {
                close(holder);
            }
        }
        TransactionSynchronizationManager.clear();
    }

    private static void close(ConnectionHolder holder) {
        try (Connection connection = holder.getConnection()) {
            connection.rollback();
        } catch (SQLException | RuntimeException e) {
            LOG.warn("a connection that was left in a transaction cannot be rolled back", e);
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

    /** Hears of the transactions of one manager. */
    private final class Watch implements TransactionExecutionListener {
        private final PlatformTransactionManager manager;

        private Watch(PlatformTransactionManager manager) {
            this.manager = manager;
        }

        private TransactionEnds ends() {
            return TransactionEnds.this;
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure != null || !transaction.isNewTransaction()) {
                return;
            }
            if (transaction instanceof TransactionStatus status) {
                BEGUN.get().push(new Begun(manager, status));
            }
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                note(false);
                TransactionSynchronizationManager.registerSynchronization(new End());
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            ended(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            ended(transaction);
        }

        private static void ended(TransactionExecution transaction) {
            BEGUN.get()
                    .removeIf(begun ->
                            begun.status() == transaction || begun.status().isCompleted());
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
