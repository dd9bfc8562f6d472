package io.backstep.saga.jdbc;

import io.backstep.saga.Shown;
import io.backstep.saga.participant.InsufficientStockException;
import io.backstep.saga.participant.Reservation;
import io.backstep.saga.participant.Stock;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The tables of stock and of what is reserved of it. Whoever moves a quantity first writes or deletes the line that says so, and then
 * the stock, item by item in one order: so nobody who has stock locked waits for a line.
 */
final class ReservationStatements {
    private static final String HOLD =
            "insert into {q}reservation (reservation_id, item, quantity, expires_at) values (?, ?, ?, {later})";

    private static final String LET_GO = "delete from {q}reservation where reservation_id = ? and item = ?";

    private static final String LINES = "select item, quantity from {q}reservation where reservation_id = ?";

    /** By a clock that stands still during the statement, where an index needs one; page by page, whatever became of the page before. */
    private static final String EXPIRED = """
            select reservation_id, expires_at from {q}reservation
              where expires_at <= {now} and expires_at >= ? and (expires_at > ? or reservation_id > ?)
              order by expires_at, reservation_id limit ?
            """;

    private static final String FREEZE = """
            update {q}stock set available = available - ?, frozen = frozen + ? where item = ? and available >= ?
            """;

    private static final String GIVE_BACK =
            "update {q}stock set available = available + ?, frozen = frozen - ? where item = ?";

    private static final String TAKE_OUT = "update {q}stock set frozen = frozen - ? where item = ?";

    private static final String NEW_ITEM = "insert into {q}stock (item, available, frozen) values (?, 0, 0)";

    private static final String CHANGE =
            "update {q}stock set available = available + ? where item = ? and available + ? >= 0";

    private static final String STOCK = "select available, frozen from {q}stock where item = ?";

    private final Sql sql;
    private final Dialect dialect;

    ReservationStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    private String timed(String statement) {
        return statement.replace("{later}", dialect.later()).replace("{now}", dialect.laterOfStatement());
    }

    /** A line that is there is of a try that the guard has forgotten: it stands. */
    void hold(Connection connection, Reservation reservation, Duration expiresAfter) throws SQLException {
        SortedMap<String, Long> held = new TreeMap<>();
        long micros = Rows.micros(expiresAfter);
        for (Map.Entry<String, Long> line : reservation.items().entrySet()) {
            Object[] values = {reservation.id(), line.getKey(), line.getValue(), micros};
            if (dialect.insertIfAbsent(connection, timed(HOLD), values)) {
                held.put(line.getKey(), line.getValue());
            }
        }
        for (Map.Entry<String, Long> line : held.entrySet()) {
            long quantity = line.getValue();
            if (sql.update(connection, FREEZE, quantity, quantity, line.getKey(), quantity) != 1) {
                throw new InsufficientStockException(line.getKey(), quantity);
            }
        }
    }

    void takeOut(Connection connection, Reservation reservation) throws SQLException {
        for (Map.Entry<String, Long> line : letGo(connection, reservation).entrySet()) {
            long quantity = line.getValue();
            requireStock(sql.update(connection, TAKE_OUT, quantity, line.getKey()), line.getKey());
        }
    }

    void giveBack(Connection connection, Reservation reservation) throws SQLException {
        for (Map.Entry<String, Long> line : letGo(connection, reservation).entrySet()) {
            long quantity = line.getValue();
            requireStock(sql.update(connection, GIVE_BACK, quantity, quantity, line.getKey()), line.getKey());
        }
    }

    /** By the whole primary key: that locks no gap beside the line. Only what was still held is moved. */
    private Map<String, Long> letGo(Connection connection, Reservation reservation) throws SQLException {
        SortedMap<String, Long> held = new TreeMap<>();
        for (Map.Entry<String, Long> line : reservation.items().entrySet()) {
            if (sql.update(connection, LET_GO, reservation.id(), line.getKey()) == 1) {
                held.put(line.getKey(), line.getValue());
            }
        }
        return held;
    }

    private static void requireStock(int rows, String item) {
        if (rows != 1) {
            throw new SagaStoreException(
                    "SAGA-RSV-002",
                    "of item " + Shown.quoted(item) + " some is reserved, but its row is gone",
                    Effect.NONE,
                    null);
        }
    }

    /** What is held under an id that its guard has forgotten. */
    Reservation lines(Connection connection, String id) throws SQLException {
        Map<String, Long> items = new TreeMap<>();
        sql.query(connection, LINES, row -> items.put(row.getString("item"), row.getLong("quantity")), id);
        return new Reservation(id, items);
    }

    /**
     * A line that has expired.
     *
     * @param id of its reservation
     * @param at when
     */
    record Expired(String id, Instant at) {
        static final Expired NONE = new Expired("", Instant.EPOCH);
    }

    /** The oldest lines behind one. */
    List<Expired> expired(Connection connection, Expired last, int limit) throws SQLException {
        Object since = dialect.time(last.at());
        return sql.query(
                connection,
                timed(EXPIRED),
                row -> new Expired(row.getString("reservation_id"), Rows.required(row, "expires_at")),
                0,
                since,
                since,
                last.id(),
                limit);
    }

    boolean change(Connection connection, String item, long quantity) throws SQLException {
        if (sql.update(connection, CHANGE, quantity, item, quantity) == 1) {
            return true;
        }
        dialect.insertIfAbsent(connection, NEW_ITEM, item);
        return sql.update(connection, CHANGE, quantity, item, quantity) == 1;
    }

    Optional<Stock> stock(Connection connection, String item) throws SQLException {
        return sql
                .query(connection, STOCK, row -> new Stock(row.getLong("available"), row.getLong("frozen")), item)
                .stream()
                .findFirst();
    }
}
