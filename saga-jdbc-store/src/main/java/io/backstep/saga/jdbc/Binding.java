package io.backstep.saga.jdbc;

import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How values get into statements. A list of ids is one value, which {@code = any(?)} takes. */
interface Binding {
    /** A statement with places for all values. */
    String places(String statement, @Nullable Object... values);

    /** Binds all values. */
    void bind(PreparedStatement prepared, @Nullable Object... values) throws SQLException;

    /** For databases that have ids and arrays of them. */
    final class Direct implements Binding {
        @Override
        public String places(String statement, @Nullable Object... values) {
            return statement;
        }

        @Override
        public void bind(PreparedStatement prepared, @Nullable Object... values) throws SQLException {
            for (int i = 0; i < values.length; i++) {
                Object value = values[i];
                prepared.setObject(
                        i + 1,
                        value instanceof List<?> ids
                                ? prepared.getConnection().createArrayOf("uuid", ids.toArray())
                                : value);
            }
        }
    }

    /** For databases without both: ids are 16 bytes, which sort as the ids do, and a list is spelled out. */
    final class Bytes implements Binding {
        /** Whatever the session says: what is too long or out of range is refused and not cut. */
        static final String STRICT = "sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')";

        private static final Pattern WRITES = Pattern.compile("\\s*(insert|update)\\b.*", Pattern.DOTALL);
        private static final String ANY = "= any(?)";

        private final boolean settings;

        /** Statements may be led by settings of their own, or the session must be strict by itself. */
        Bytes(boolean settings) {
            this.settings = settings;
        }

        @Override
        public String places(String statement, @Nullable Object... values) {
            boolean strict = settings && WRITES.matcher(statement).matches();
            String text = strict ? "set statement " + STRICT + " for " + statement : statement;
            for (Object value : values) {
                if (value instanceof List<?> ids) {
                    text = spread(text, ids.size());
                }
            }
            return text;
        }

        private static String spread(String text, int size) {
            int at = text.indexOf(ANY);
            String places = size == 0 ? "null" : String.join(", ", Collections.nCopies(size, "?"));
            return text.substring(0, at) + "in (" + places + ")" + text.substring(at + ANY.length());
        }

        @Override
        public void bind(PreparedStatement prepared, @Nullable Object... values) throws SQLException {
            List<@Nullable Object> all = new ArrayList<>();
            for (Object value : values) {
                if (value instanceof List<?> ids) {
                    all.addAll(ids);
                } else {
                    all.add(value);
                }
            }
            Packets.check(prepared, all);
            for (int i = 0; i < all.size(); i++) {
                Object value = all.get(i);
                prepared.setObject(i + 1, value instanceof UUID id ? bytes(id) : value);
            }
        }

        static byte[] bytes(UUID id) {
            return ByteBuffer.allocate(16)
                    .putLong(id.getMostSignificantBits())
                    .putLong(id.getLeastSignificantBits())
                    .array();
        }

        static UUID id(byte[] bytes) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            return new UUID(buffer.getLong(), buffer.getLong());
        }
    }
}
