package io.backstep.saga.jdbc;

import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.store.TransactionalWork;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The transaction of a step. What user code writes and the record of it are one, so user code must leave it open. */
final class StepTransaction {
    private final Connection connection;
    private final Dialect.Mark mark;

    private StepTransaction(Connection connection, Dialect.Mark mark) {
        this.connection = connection;
        this.mark = mark;
    }

    static StepTransaction in(Connection connection, Dialect dialect) {
        try {
            return new StepTransaction(connection, dialect.mark(connection));
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    /**
     * Runs user code.
     *
     * @return what it returned, when the transaction is still the same
     * @throws Exception what it threw; or {@link SagaStoreException} {@code SAGA-DB-007}, whatever it did
     */
    Mutation run(TransactionalWork work) throws Exception {
        Mutation mutation;
        try {
            mutation = work.run();
        } catch (Throwable e) {
            checkOpen(e);
            throw e;
        }
        checkOpen(null);
        return mutation;
    }

    private void checkOpen(@Nullable Throwable thrown) {
        boolean rolledBackByTheDatabase =
                thrown != null && (Failures.isTransient(thrown) || Failures.isConnectionLost(thrown));
        if (!rolledBackByTheDatabase && isLeft()) {
            throw new SagaStoreException(
                    "SAGA-DB-007",
                    "user code has committed, rolled back or closed the transaction of its step, or changed its autocommit;"
                            + " allowed is to use the connection and to leave it open",
                    Effect.UNKNOWN,
                    thrown);
        }
    }

    /** What cannot be told now, as in a transaction that has failed, the record will tell. */
    private boolean isLeft() {
        try {
            return connection.isClosed() || connection.getAutoCommit() || !mark.isThere();
        } catch (SQLException e) {
            return false;
        }
    }
}
