package io.backstep.saga.jdbc;

import io.backstep.saga.store.InstanceRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A saga that a transaction has just taken, as it is now. */
record Taken(InstanceRow row, boolean takenOver, Duration age) {
    /** Each id with whether it is taken over. */
    static List<Taken> read(Sql sql, Connection connection, String clock, Map<UUID, Boolean> ids) throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        return sql.query(
                connection,
                Reads.COLUMNS.replace("{clock}", ", " + clock + " as clock") + " where i.saga_id = any(?)",
                row -> read(row, ids.getOrDefault(Rows.id(row, "saga_id"), false)),
                List.copyOf(ids.keySet()));
    }

    /** All its words are {@linkplain Words#KNOWN known}, or it was not taken. */
    static Taken read(ResultSet row, boolean takenOver) throws SQLException {
        InstanceRow instance = Rows.instance(row);
        Duration age = Duration.between(instance.createdAt(), Rows.required(row, "clock"));
        return new Taken(instance, takenOver, age.isNegative() ? Duration.ZERO : age);
    }
}
