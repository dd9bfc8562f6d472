package io.backstep.saga.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs one statement: tables qualified, parameters bound, rows mapped. */
final class Sql {
    interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    private final String qualifier;

    /** Every {@code {q}} in a statement stands for the schema and prefix, which {@link SagaSchema.Options} has checked. */
    Sql(SagaSchema.Options options) {
        this.qualifier = options.qualifier();
    }

    String qualified(String statement) {
        return statement.replace("{q}", qualifier);
    }

    <T> List<T> query(Connection connection, String statement, Mapper<T> mapper, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement prepared = prepare(connection, statement, parameters);
                ResultSet rows = prepared.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(mapper.map(rows));
            }
            return all;
        }
    }

    int update(Connection connection, String statement, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement prepared = prepare(connection, statement, parameters)) {
            return prepared.executeUpdate();
        }
    }

    private PreparedStatement prepare(Connection connection, String statement, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(qualified(statement));
        try {
            for (int i = 0; i < parameters.length; i++) {
                prepared.setObject(i + 1, parameters[i]);
            }
            return prepared;
        } catch (SQLException | RuntimeException e) {
            prepared.close();
            throw e;
        }
    }
}
