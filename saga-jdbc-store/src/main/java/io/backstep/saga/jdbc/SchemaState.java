package io.backstep.saga.jdbc;

import io.backstep.saga.Shown;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What is there of the tables, by the history of the migrations.
 *
 * @param fault what is wrong and what to do, or null
 * @param migratable whether a migration mends it
 */
record SchemaState(@Nullable String fault, boolean migratable) {
    private static final int CURRENT = 1;
    private static final int LONGEST_ERROR = 300;

    private record Line(int rank, String version, int checksum, boolean success) {
        int number() {
            String whole = version.split("\\.", 2)[0];
            return whole.matches("\\d{1,9}") ? Integer.parseInt(whole) : Integer.MAX_VALUE;
        }
    }

    /**
     * Looks.
     *
     * @param connection given back as it is
     * @param product what it is connected to
     * @param history the table of the migrations, as it stands in a statement
     * @param tables a query that works on tables of the current version that were made by hand
     * @param script the script of the current version
     */
    static SchemaState of(Connection connection, Product product, String history, String tables, String script)
            throws SQLException {
        List<Line> lines = lines(connection, history);
        if (lines.isEmpty()) {
            return withoutHistory(connection, tables);
        }
        for (Line line : lines) {
            if (!line.success()) {
                return product.commitsDdl() ? needed(interrupted(line)) : unfinished(line, history);
            }
        }
        Line last = lines.get(lines.size() - 1);
        if (last.number() > CURRENT) {
            return new SchemaState(
                    "have version " + last.version() + ", newer than the " + CURRENT + " that this release knows;"
                            + " run the release that made them, or a later one: nothing is changed",
                    false);
        }
        return last.number() < CURRENT || !last.version().equals("" + CURRENT)
                ? needed("have version " + last.version())
                : checked(last, script);
    }

    private static SchemaState fine() {
        return new SchemaState(null, false);
    }

    private static SchemaState needed(String what) {
        return new SchemaState(
                what + ", needed is " + CURRENT
                        + "; call SagaSchema.migrate(dataSource) first (with Spring set saga.schema.migrate=true),"
                        + " or apply what SagaSchema.ddl prints, by a user that may",
                true);
    }

    private static SchemaState unfinished(Line line, String history) {
        return new SchemaState(
                interrupted(line) + "; drop what it made, run" + " \"delete from " + history
                        + " where \"success\" = false\", and start again",
                false);
    }

    private static String interrupted(Line line) {
        return "were being brought to version " + line.version() + ", and that was not finished";
    }

    private static SchemaState checked(Line line, String script) {
        int expected = checksum(script);
        return line.checksum() == expected
                ? fine()
                : new SchemaState(
                        "were made by another script of version " + line.version() + " (checksum " + line.checksum()
                                + ", expected " + expected
                                + "); run the release that made them, or drop them with their"
                                + " history if they hold nothing that is needed, and start again",
                        false);
    }

    private static List<Line> lines(Connection connection, String history) throws SQLException {
        List<Line> lines = new ArrayList<>();
        try (PreparedStatement prepared = connection.prepareStatement("select * from " + history);
                ResultSet rows = prepared.executeQuery()) {
            while (rows.next()) {
                String version = rows.getString("version");
                if (version != null && !version.equals("0")) {
                    lines.add(new Line(
                            rows.getInt("installed_rank"),
                            version,
                            rows.getInt("checksum"),
                            rows.getBoolean("success")));
                }
            }
        } catch (SQLException e) {
            requireAnswer(e);
            lines.clear();
        }
        endRead(connection);
        lines.sort(Comparator.comparingInt(Line::rank));
        return lines;
    }

    private static SchemaState withoutHistory(Connection connection, String query) throws SQLException {
        SchemaState state;
        try (PreparedStatement prepared = connection.prepareStatement(query);
                ResultSet rows = prepared.executeQuery()) {
            state = rows.next() ? fine() : missing();
        } catch (SQLException e) {
            requireAnswer(e);
            state = Failures.isForbidden(e) ? forbidden(e) : missing();
        }
        endRead(connection);
        return state;
    }

    /** A connection that breaks says nothing about tables. */
    private static void requireAnswer(SQLException failure) throws SQLException {
        if (Failures.isConnectionLost(failure)) {
            throw failure;
        }
    }

    private static SchemaState missing() {
        return needed("are missing or have no version");
    }

    private static SchemaState forbidden(SQLException cause) {
        return new SchemaState(
                "may not be read by this user, " + Shown.line(String.valueOf(cause.getMessage()), LONGEST_ERROR)
                        + "; grant it SELECT, INSERT, UPDATE and DELETE on all of them",
                false);
    }

    private static void endRead(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /** As Flyway counts it: over the lines, without their ends. */
    private static int checksum(String script) {
        CRC32 sum = new CRC32();
        try (BufferedReader reader = new BufferedReader(new StringReader(script))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                sum.update(line.getBytes(StandardCharsets.UTF_8));
            }
            return (int) sum.getValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
