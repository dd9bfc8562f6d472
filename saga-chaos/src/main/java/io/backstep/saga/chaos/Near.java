package io.backstep.saga.chaos;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.jdbc.JdbcTransactions;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** What transactional steps do: they count in a table, in the transaction of the step, so that a second effect shows. */
public final class Near {
    private static final String COUNT = """
            insert into chaos_counter as c (saga_id, step, phase, n, definition) values (?, ?, ?, 1, ?)
              on conflict (saga_id, step, phase) do update set n = c.n + 1
            """;

    private final JdbcTransactions transactions;
    private final Failpoints failpoints;

    /**
     * Makes it for one node.
     *
     * @param transactions the node's
     * @param failpoints told before and after each effect
     */
    public Near(JdbcTransactions transactions, Failpoints failpoints) {
        this.transactions = transactions;
        this.failpoints = failpoints;
    }

    void act(StepContext<Task> context) throws SQLException {
        count(context, Part.of(context), "ACTION");
    }

    void act(StepContext<Task> context, Part part) throws SQLException {
        count(context, part, "ACTION");
    }

    void undo(StepContext<Task> context) throws SQLException {
        count(context, Part.of(context), "COMPENSATION");
    }

    void undo(StepContext<Task> context, Part part) throws SQLException {
        count(context, part, "COMPENSATION");
    }

    /** Counts all the same: the rejection rolls it back. */
    void reject(StepContext<Task> context) throws SQLException {
        count(context, Part.of(context), "ACTION");
        throw new StepRejectedException("NO", "not here");
    }

    private void count(StepContext<Task> context, Part part, String phase) throws SQLException {
        failpoints.hit("transaction.before");
        try (PreparedStatement count = transactions.connection().prepareStatement(COUNT)) {
            count.setObject(1, context.sagaId());
            count.setString(2, part.step());
            count.setString(3, phase);
            count.setString(4, part.definition());
            count.executeUpdate();
        }
        failpoints.hit("transaction.after");
    }
}
