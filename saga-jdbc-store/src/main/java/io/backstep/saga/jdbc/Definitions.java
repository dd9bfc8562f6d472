package io.backstep.saga.jdbc;

import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.UnknownDefinition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The table of definitions, and the one of types that all versions share. */
final class Definitions {
    private static final String ALL = "select id, name, version from {q}definition order by name, version";

    private static final String ACTIVE = """
            select count(*) from
              (select saga_id from {q}instance where definition_id = ? and due_at is not null limit ?) few
            """;

    /** Sagas that have ended and will be turned for their parents: few, found by the index of new mail. */
    private static final String TO_UNDO = """
            select i.definition_id, count(distinct i.saga_id)
              from {q}signal s join {q}instance i on i.saga_id = s.saga_id
              where s.handled_at is null and s.kind = 'UNDO' and i.status = 'COMPLETED' group by i.definition_id
            """;

    /** By the index of what is due. */
    private static final String OLDEST = """
            select %d as definition_id, min(created_at) as created_at, {clock} as looked_at from
              (select created_at from {q}instance where definition_id = %1$d and due_at is not null order by due_at limit %d) few
            """;

    private final Sql sql;
    private final Dialect dialect;

    Definitions(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    /** Inserts first and reads then: whoever comes second finds what the first has stored. */
    RegisteredDefinition register(Connection connection, String name, int version, String fingerprint)
            throws SQLException {
        dialect.open(connection);
        dialect.insertIfAbsent(connection, "insert into {q}type (name) values (?)", name);
        int typeId = sql.query(connection, "select id from {q}type where name = ?", row -> row.getInt(1), name)
                .get(0);
        dialect.insertIfAbsent(
                connection,
                "insert into {q}definition (type_id, name, version, fingerprint) values (?, ?, ?, ?)",
                typeId,
                name,
                version,
                fingerprint);
        return sql.query(
                        connection,
                        "select id, fingerprint from {q}definition where name = ? and version = ?",
                        row -> new RegisteredDefinition(row.getInt(1), typeId, name, version, row.getString(2)),
                        name,
                        version)
                .get(0);
    }

    private record Version(int id, String name, int number) {}

    List<UnknownDefinition> unknown(Connection connection, List<Integer> known, int most) throws SQLException {
        dialect.open(connection);
        List<UnknownDefinition> found = new ArrayList<>();
        Map<Integer, Integer> toUndo = new HashMap<>();
        sql.read(connection, TO_UNDO, List.of(row -> toUndo.put(row.getInt(1), row.getInt(2))));
        for (Version version :
                sql.query(connection, ALL, row -> new Version(row.getInt(1), row.getString(2), row.getInt(3)))) {
            if (known.contains(version.id())) {
                continue;
            }
            int active = sql.query(connection, ACTIVE, row -> row.getInt(1), version.id(), most)
                    .get(0);
            int sagas = active + toUndo.getOrDefault(version.id(), 0);
            if (sagas > 0) {
                found.add(new UnknownDefinition(version.name(), version.number(), Math.min(sagas, most)));
            }
        }
        return found;
    }

    Map<Integer, Duration> oldest(Connection connection, List<Integer> definitionIds, int most) throws SQLException {
        Map<Integer, Duration> ages = new HashMap<>();
        if (!definitionIds.isEmpty()) {
            dialect.open(connection);
            String each = definitionIds.stream()
                    .map(id -> OLDEST.formatted(id, most).replace("{clock}", dialect.clock()))
                    .collect(Collectors.joining(" union all "));
            sql.read(connection, each, List.of(row -> addAge(ages, row)));
        }
        return ages;
    }

    private static void addAge(Map<Integer, Duration> ages, ResultSet row) throws SQLException {
        Instant created = Rows.instant(row, "created_at");
        if (created != null) {
            ages.put(row.getInt("definition_id"), Duration.between(created, Rows.required(row, "looked_at")));
        }
    }
}
