package io.backstep.saga.jdbc.order;

import io.backstep.saga.StepRejectedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The other ends of the order saga: each remembers by key what it did, undoes it once, and refuses what comes after its undo. Has
 * transactions of its own, as if it were far away. Counts every call, and every effect.
 */
final class OrderParticipants {
    private static final String TABLES = """
            create table stock (sku varchar(50) primary key, free int not null check (free >= 0),
              reserved int not null check (reserved >= 0));
            create table effect (operation varchar(200) primary key, kind varchar(20) not null, quantity int not null,
              state varchar(10) not null check (state in ('DONE', 'UNDONE')), done int not null, undone int not null);
            create table participant_call (id bigint generated always as identity primary key,
              operation varchar(200) not null, saga_id uuid not null, step varchar(50) not null, call varchar(20) not null);
            create table orders (saga_id uuid primary key, status varchar(20) not null,
              created int not null, rejected int not null, confirmed int not null);
            """;

    private final DataSource dataSource;
    private final double lostReplies;
    private final Random random;

    OrderParticipants(DataSource dataSource, double lostReplies, long seed) {
        this.dataSource = dataSource;
        this.lostReplies = lostReplies;
        this.random = new Random(seed);
    }

    static void createTables(DataSource dataSource, int stock) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLES);
            statement.execute("insert into stock values ('book', " + stock + ", 0)");
        }
    }

    void reserve(UUID sagaId, String key, int quantity) throws Exception {
        boolean first = act(sagaId, "reserve-inventory", key, "reserve", quantity, connection -> {
            int rows = update(
                    connection,
                    "update stock set free = free - ?, reserved = reserved + ? where sku = 'book' and free >= ?",
                    quantity,
                    quantity,
                    quantity);
            if (rows == 0) {
                throw new StepRejectedException("SOLD_OUT", "not enough stock");
            }
        });
        maybeLoseTheReply(first);
    }

    void release(UUID sagaId, String key) throws Exception {
        undo(
                sagaId,
                "reserve-inventory",
                key,
                "release",
                (connection, quantity) -> update(
                        connection,
                        "update stock set free = free + ?, reserved = reserved - ? where sku = 'book'",
                        quantity,
                        quantity));
    }

    void charge(UUID sagaId, String key, int amount, boolean declined) throws Exception {
        call(sagaId, "process-payment", key, "charge");
        if (declined) {
            throw new StepRejectedException("DECLINED", "no money");
        }
        boolean first = act(sagaId, "process-payment", key, "", amount, connection -> {});
        maybeLoseTheReply(first);
    }

    void refund(UUID sagaId, String key) throws Exception {
        undo(sagaId, "process-payment", key, "refund", (connection, amount) -> {});
    }

    void ship(UUID sagaId, String key, int quantity) throws Exception {
        act(
                sagaId,
                "ship",
                key,
                "ship",
                quantity,
                connection ->
                        update(connection, "update stock set reserved = reserved - ? where sku = 'book'", quantity));
    }

    private void maybeLoseTheReply(boolean first) {
        if (first && lostReplies > 0 && nextDouble() < lostReplies) {
            throw new IllegalStateException("the reply is lost");
        }
    }

    private synchronized double nextDouble() {
        return random.nextDouble();
    }

    private interface Effect {
        void apply(Connection connection) throws Exception;
    }

    private interface Undo {
        void apply(Connection connection, int quantity) throws Exception;
    }

    /** Applies an effect once per key; true for the first time. */
    private boolean act(UUID sagaId, String step, String key, String call, int quantity, Effect effect)
            throws Exception {
        if (!call.isEmpty()) {
            call(sagaId, step, key, call);
        }
        return inTransaction(connection -> {
            int inserted = update(
                    connection,
                    "insert into effect values (?, ?, ?, 'DONE', 1, 0) on conflict do nothing",
                    key,
                    step,
                    quantity);
            if (inserted == 1) {
                effect.apply(connection);
            } else if (state(connection, key).equals("UNDONE")) {
                throw new StepRejectedException("CANCELLED", "it is undone already");
            }
            return inserted == 1;
        });
    }

    private void undo(UUID sagaId, String step, String key, String call, Undo undo) throws Exception {
        call(sagaId, step, key, call);
        inTransaction(connection -> {
            update(connection, "insert into effect values (?, ?, 0, 'UNDONE', 0, 0) on conflict do nothing", key, step);
            try (PreparedStatement undone = connection.prepareStatement(
                    "update effect set state = 'UNDONE', undone = undone + 1 where operation = ? and state = 'DONE'"
                            + " returning quantity")) {
                undone.setString(1, key);
                ResultSet row = undone.executeQuery();
                if (row.next()) {
                    undo.apply(connection, row.getInt(1));
                }
            }
            return true;
        });
    }

    private void call(UUID sagaId, String step, String key, String call) throws Exception {
        inTransaction(connection -> update(
                        connection,
                        "insert into participant_call (operation, saga_id, step, call) values (?, ?, ?, ?)",
                        key,
                        sagaId,
                        step,
                        call)
                == 1);
    }

    private static String state(Connection connection, String key) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select state from effect where operation = ?")) {
            query.setString(1, key);
            ResultSet row = query.executeQuery();
            row.next();
            return row.getString(1);
        }
    }

    private interface Work {
        boolean run(Connection connection) throws Exception;
    }

    private boolean inTransaction(Work work) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                boolean done = work.run(connection);
                connection.commit();
                return done;
            } catch (Throwable e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    /** A statement on the order table, in the transaction of a transactional step: counts, so that a second effect would show. */
    static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }
}
