package io.backstep.saga.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limit of MariaDB for a statement with its values. A server that is sent more closes the connection, so that nobody would know
 * which row it was; hence what is too large is not sent.
 */
final class Packets {
    private static final int ALWAYS_FITS = 100_000;
    private static final int LEAD = 1_000;
    private static final int EACH = 100;
    private static final String LIMIT_EXCEEDED = "54000";

    private Packets() {}

    /** Refuses like a database that refuses data. Asks for the limit only when much is to be sent. */
    static void check(PreparedStatement prepared, List<@Nullable Object> values) throws SQLException {
        long size = LEAD + (long) EACH * values.size();
        for (Object value : values) {
            size += value instanceof String text ? size(text) : value instanceof byte[] bytes ? 2L * bytes.length : 0;
        }
        if (size > ALWAYS_FITS) {
            long limit = limit(prepared.getConnection());
            if (size > limit) {
                throw new SQLException(
                        "the values have about " + size + " bytes; max_allowed_packet allows " + limit, LIMIT_EXCEEDED);
            }
        }
    }

    /** In UTF-8, quoted. Half a pair counts for half of its four bytes. */
    private static long size(String text) {
        long size = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                size += c == '\'' || c == '"' || c == '\\' || c == 0 ? 2 : 1;
            } else {
                size += c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
            }
        }
        return size;
    }

    private static long limit(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select @@max_allowed_packet")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
