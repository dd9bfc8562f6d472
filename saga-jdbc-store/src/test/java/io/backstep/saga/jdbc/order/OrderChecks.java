package io.backstep.saga.jdbc.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** What must hold whatever happened, as SQL over the tables; never asks the engine. Each query finds the offenders. */
final class OrderChecks {
    private static final List<String> OFFENDERS = List.of(
            // every saga is terminal
            "select saga_id, status from saga_instance where status not in ('COMPLETED', 'COMPENSATED')",
            // RUNNING and COMPENSATING rows have a due time, all others have none
            "select saga_id from saga_instance where (due_at is not null) <> (status in ('RUNNING', 'COMPENSATING'))",
            // no step is recorded twice
            "select saga_id, step, phase from saga_step_history where outcome = 'SUCCEEDED' and phase <> 'SAGA'"
                    + " group by saga_id, step, phase having count(*) > 1",
            // one effect per key, undone at most once, and only after it was done
            "select operation from effect where done > 1 or undone > done",
            // COMPLETED: every effect is there
            "select i.saga_id from saga_instance i where i.status = 'COMPLETED' and 3 <> (select count(*) from effect e"
                    + " where e.operation like i.saga_id || ':%' and e.state = 'DONE')",
            // COMPENSATED: no effect is left
            "select i.saga_id from saga_instance i join effect e on e.operation like i.saga_id || ':%'"
                    + " where i.status = 'COMPENSATED' and e.done <> e.undone",
            // local steps took effect exactly once
            "select o.saga_id from orders o join saga_instance i on i.saga_id = o.saga_id where o.created <> 1"
                    + " or (i.status = 'COMPLETED' and (o.confirmed <> 1 or o.rejected <> 0 or o.status <> 'CONFIRMED'))"
                    + " or (i.status = 'COMPENSATED' and (o.confirmed <> 0 or o.rejected <> 1 or o.status <> 'REJECTED'))",
            // a saga without its order, or an order without its saga
            "select i.saga_id from saga_instance i left join orders o on o.saga_id = i.saga_id where o.saga_id is null",
            // compensations come in the reverse order of the completed actions
            "select a.saga_id, a.step, b.step from saga_step_history a"
                    + " join saga_step_history b on b.saga_id = a.saga_id and b.phase = 'ACTION' and b.outcome = 'SUCCEEDED'"
                    + " and (b.seq, b.ordinal) > (a.seq, a.ordinal)"
                    + " join saga_step_history ca on ca.saga_id = a.saga_id and ca.phase = 'COMPENSATION'"
                    + " and ca.outcome = 'SUCCEEDED' and ca.step = a.step"
                    + " join saga_step_history cb on cb.saga_id = a.saga_id and cb.phase = 'COMPENSATION'"
                    + " and cb.outcome = 'SUCCEEDED' and cb.step = b.step"
                    + " where a.phase = 'ACTION' and a.outcome = 'SUCCEEDED' and (ca.seq, ca.ordinal) < (cb.seq, cb.ordinal)",
            // no action succeeds after the saga has turned, but for one that was under way
            "select h.saga_id, h.step from saga_step_history h join saga_step_history t on t.saga_id = h.saga_id"
                    + " and t.phase = 'SAGA' and t.outcome = 'TURNED' where h.phase = 'ACTION' and h.seq > t.seq + 1",
            // every recorded action of a compensated saga is compensated, and accounted for in the log
            "select h.saga_id, h.step from saga_step_history h join saga_instance i on i.saga_id = h.saga_id"
                    + " where i.status = 'COMPENSATED' and h.phase = 'ACTION' and h.outcome = 'SUCCEEDED' and not exists"
                    + " (select 1 from saga_compensation_log c where c.saga_id = h.saga_id and c.step = h.step"
                    + " and c.status = 'SUCCEEDED')");

    private OrderChecks() {}

    static void everythingAddsUp(DataSource dataSource, int stock) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String query : OFFENDERS) {
                assertThat(rows(statement, query)).as(query).isEmpty();
            }
            assertThat(rows(
                            statement,
                            "select free + reserved + (select coalesce(sum(quantity), 0) from effect where kind = 'ship')"
                                    + " from stock"))
                    .containsExactly(String.valueOf(stock));
            assertThat(rows(statement, "select reserved from stock")).containsExactly("0");
        }
    }

    static List<String> rows(Statement statement, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    row.append(i == 1 ? "" : " ").append(result.getString(i));
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }
}
