package io.backstep.saga.jdbc;

import io.backstep.saga.store.InstanceRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A saga that a transaction has just taken, as it is now. */
record Taken(InstanceRow row, boolean takenOver, Duration age) {
    private static final Logger log = LoggerFactory.getLogger(Taken.class);

    /** Each id with whether it is taken over. */
    static List<Taken> read(Sql sql, Connection connection, String clock, Map<UUID, Boolean> ids) throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        return known(sql.query(
                connection,
                Reads.COLUMNS.replace("{clock}", ", " + clock + " as clock") + " where i.saga_id = any(?)",
                row -> read(row, ids.getOrDefault(Rows.id(row, "saga_id"), false)),
                List.copyOf(ids.keySet())));
    }

    /** Without those that were {@linkplain #read(ResultSet, boolean) left alone}. */
    static List<Taken> known(List<Optional<Taken>> all) {
        return all.stream().flatMap(Optional::stream).toList();
    }

    /** A row with a word that this version does not know is left to a node that does: it stops no other. */
    static Optional<Taken> read(ResultSet row, boolean takenOver) throws SQLException {
        String unknown = Rows.unknownWord(row);
        if (unknown != null) {
            log.error(
                    "SAGA-DB-010: saga {} is left alone for a node that knows its {}",
                    Rows.id(row, "saga_id"),
                    unknown);
            return Optional.empty();
        }
        InstanceRow instance = Rows.instance(row);
        Duration age = Duration.between(instance.createdAt(), Rows.required(row, "clock"));
        return Optional.of(new Taken(instance, takenOver, age.isNegative() ? Duration.ZERO : age));
    }
}
