package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.json.JsonMapper;

/**
 * What many write by hand: a row for the saga, a row for each step, one transaction for each transition, on the thread of whoever
 * started it. It finds nothing again after a crash.
 */
final class JdbcLoop implements Contender {
    private static final String SCHEMA = """
            create table if not exists saga (
              saga_id uuid primary key,
              saga_type text not null,
              status text not null,
              current_step int not null,
              payload text not null,
              created_at timestamptz not null,
              updated_at timestamptz not null
            );
            create table if not exists saga_step (
              saga_id uuid not null references saga,
              position int not null,
              step text not null,
              status text not null,
              executed_at timestamptz not null,
              primary key (saga_id, position)
            );
            create table if not exists effect (saga_id uuid not null, step text not null)
            """;

    private static final String TALLY = """
            select count(*) filter (where status = 'COMPLETED'), count(*) filter (where status = 'COMPENSATED'),
                count(*) filter (where status not in ('COMPLETED', 'COMPENSATED'))
              from saga
            """;

    private static final String INSERT = """
            insert into saga (saga_id, saga_type, status, current_step, payload, created_at, updated_at)
              values (?, 'order', 'RUNNING', 0, ?, now(), now())
            """;

    private static final String UPDATE =
            "update saga set status = ?, current_step = ?, updated_at = now() where saga_id = ?";

    private static final String STEP =
            "insert into saga_step (saga_id, position, step, status, executed_at) values (?, ?, ?, ?, now())";

    private static final String EFFECT = "insert into effect (saga_id, step) values (?, ?)";

    private final Server database;
    private final Kind kind;
    private final HikariDataSource pool;
    private final JsonMapper json = new JsonMapper();

    JdbcLoop(Server database, Kind kind) {
        this.database = database;
        this.kind = kind;
        this.pool = database.pool();
        database.execute(SCHEMA);
    }

    @Override
    public CompletableFuture<End> start(Order order) throws SQLException {
        UUID id = UUID.randomUUID();
        inTransaction(connection -> update(connection, INSERT, id, json.writeValueAsString(order)));
        return CompletableFuture.completedFuture(kind == Kind.REJECTED ? rejected(id) : happy(id));
    }

    private End happy(UUID id) throws SQLException {
        for (int i = 0; i < STEPS.length; i++) {
            step(id, "RUNNING", i, STEPS[i], "SUCCEEDED");
        }
        inTransaction(connection -> update(connection, UPDATE, "COMPLETED", STEPS.length, id));
        return End.COMPLETED;
    }

    private End rejected(UUID id) throws SQLException {
        step(id, "RUNNING", 0, STEPS[0], "SUCCEEDED");
        step(id, "RUNNING", 1, STEPS[1], "SUCCEEDED");
        step(id, "COMPENSATING", 2, STEPS[2], "REJECTED");
        step(id, "COMPENSATING", 3, STEPS[1], "COMPENSATED");
        step(id, "COMPENSATING", 4, STEPS[0], "COMPENSATED");
        inTransaction(connection -> update(connection, UPDATE, "COMPENSATED", 5, id));
        return End.COMPENSATED;
    }

    /** The participant would be called before; it does nothing here. */
    private void step(UUID id, String status, int position, String step, String outcome) throws SQLException {
        inTransaction(connection -> {
            if (kind == Kind.TRANSACTIONAL) {
                update(connection, EFFECT, id, step);
            }
            update(connection, STEP, id, position, step, outcome);
            update(connection, UPDATE, status, position + 1, id);
        });
    }

    private interface Work {
        void in(Connection connection) throws SQLException;
    }

    private void inTransaction(Work work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            work.in(connection);
            connection.commit();
        }
    }

    private static void update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }

    @Override
    public Tally tally() throws SQLException {
        return database.tally(TALLY);
    }

    @Override
    public void close() {
        pool.close();
    }
}
