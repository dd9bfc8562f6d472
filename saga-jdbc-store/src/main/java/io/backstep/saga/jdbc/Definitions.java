package io.backstep.saga.jdbc;

import io.backstep.saga.store.RegisteredDefinition;
import java.sql.Connection;
import java.sql.SQLException;

/** The table of definitions, and the one of types that all versions share. */
final class Definitions {
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
}
