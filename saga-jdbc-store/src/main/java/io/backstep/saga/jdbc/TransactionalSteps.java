package io.backstep.saga.jdbc;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.TransactionalWork;
import java.sql.SQLException;

/** User code and its record in one transaction of the application's. */
final class TransactionalSteps {
    private final JdbcConnections transactions;
    private final Dialect dialect;
    private final BatchWriter writer;

    TransactionalSteps(JdbcConnections transactions, Dialect dialect, BatchWriter writer) {
        this.transactions = transactions;
        this.dialect = dialect;
        this.writer = writer;
    }

    void run(TransactionalWork work, StoreCallback<Acceptance> callback) {
        Acceptance answer = null;
        Throwable failure = null;
        try {
            answer = transactions.inTransaction(() -> recorded(
                    StepTransaction.in(transactions.connection(), dialect).run(work)));
        } catch (NotAccepted e) {
            answer = e.acceptance;
        } catch (Throwable e) {
            failure = e;
        }
        callback.done(answer, failure);
    }

    private Acceptance recorded(Mutation mutation) throws NotAccepted {
        Acceptance acceptance;
        try {
            acceptance = writer.writeInside(transactions.connection(), mutation);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
        if (acceptance.kind() != Acceptance.Kind.ACCEPTED) {
            throw new NotAccepted(acceptance);
        }
        return acceptance;
    }

    /** Rolls back. */
    private static final class NotAccepted extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient Acceptance acceptance;

        private NotAccepted(Acceptance acceptance) {
            super(acceptance.kind().name(), acceptance.cause(), false, false);
            this.acceptance = acceptance;
        }
    }
}
