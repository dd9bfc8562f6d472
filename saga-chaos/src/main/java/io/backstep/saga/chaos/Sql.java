package io.backstep.saga.chaos;

import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A few lines of JDBC for the harness. */
public final class Sql {
    private Sql() {}

    /**
     * Reads one of the files beside this class.
     *
     * @param name of the file
     * @return its text
     */
    public static String resource(String name) {
        try (InputStream in = Sql.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
    }

    /**
     * Executes statements.
     *
     * @param database where
     * @param statements any number
     * @throws SQLException when it refuses
     */
    public static void execute(TestPostgres.Db database, String statements) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(statements);
        }
    }

    /**
     * All rows, as text.
     *
     * @param connection where
     * @param query what
     * @return the rows
     * @throws SQLException when it refuses
     */
    public static List<List<String>> rows(Connection connection, String query) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(String.valueOf(result.getString(i)));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /**
     * The first number of a query.
     *
     * @param connection where
     * @param query what
     * @return the number
     * @throws SQLException when it refuses
     */
    public static long number(Connection connection, String query) throws SQLException {
        return Long.parseLong(rows(connection, query).get(0).get(0));
    }
}
