package io.backstep.saga.spring;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;

/** Commits one transaction and finds out what an exception on that way says of its effect. */
final class CommitWatch implements TransactionSynchronization {
    private static final Logger LOG = LoggerFactory.getLogger(CommitWatch.class);

    /** Classes of SQLState by which a database answers: this work is refused, and rolled back. */
    private static final Set<String> REFUSED = Set.of("22", "23", "25", "40", "42", "44");

    private static final String STATEMENT_COMPLETION_UNKNOWN = "40003";

    private boolean commitBegun;
    private @Nullable Integer end;

    /** Must be registered last, so that every other {@code beforeCommit} has been through. */
    @Override
    public void beforeCommit(boolean readOnly) {
        commitBegun = true;
    }

    @Override
    public void afterCompletion(int status) {
        end = status;
    }

    /**
     * Commits.
     *
     * @param transactions the transaction manager
     * @param status the transaction in which this is registered
     * @throws SagaStoreException when it did not commit, or nobody knows
     */
    void commit(PlatformTransactionManager transactions, TransactionStatus status) {
        try {
            transactions.commit(status);
        } catch (RuntimeException | Error e) {
            if (!committed()) {
                throw failed(e);
            }
            LOG.warn("SAGA-DB-009: what was to follow the commit failed; the commit stands", e);
        }
        if (!committed()) {
            throw new SagaStoreException(
                    "SAGA-DB-005", "the transaction was marked for rollback only", Effect.NONE, null);
        }
    }

    private boolean committed() {
        return end != null && end == STATUS_COMMITTED;
    }

    private SagaStoreException failed(Throwable failure) {
        boolean nothingDone = !commitBegun || isRefusal(failure);
        return nothingDone
                ? new SagaStoreException("SAGA-DB-005", "the commit was refused", Effect.NONE, failure)
                : new SagaStoreException("SAGA-DB-005", "the effect of a commit is unknown", Effect.UNKNOWN, failure);
    }

    /** A connection that broke during the commit has an SQLState, too, so what the database said goes first. */
    private static boolean isRefusal(Throwable failure) {
        String state = sqlState(failure);
        if (state != null) {
            return !state.equals(STATEMENT_COMPLETION_UNKNOWN)
                    && state.length() == 5
                    && REFUSED.contains(state.substring(0, 2));
        }
        return failure instanceof UnexpectedRollbackException
                || failure instanceof ConcurrencyFailureException
                || failure instanceof DataIntegrityViolationException
                || failure instanceof InvalidDataAccessApiUsageException;
    }

    private static @Nullable String sqlState(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 32; depth++) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
            cause = cause.getCause();
        }
        return null;
    }
}
