package io.backstep.saga.examples.plain;

import io.backstep.saga.jdbc.JdbcTransactions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** A few lines of JDBC on the connection of the transaction that the calling thread is in. */
final class Sql {
    private final JdbcTransactions transactions;

    Sql(JdbcTransactions transactions) {
        this.transactions = transactions;
    }

    int update(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** The first column of the first row. */
    Optional<String> first(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(sql, values);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
        }
    }

    private PreparedStatement prepared(String sql, Object... values) throws SQLException {
        PreparedStatement statement = transactions.connection().prepareStatement(sql); // not ours to close
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
