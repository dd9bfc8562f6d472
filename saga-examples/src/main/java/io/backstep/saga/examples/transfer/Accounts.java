package io.backstep.saga.examples.transfer;

import io.backstep.saga.StepRejectedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

/** The accounts of one database, on the connection that is handed in. */
final class Accounts {
    static final String DDL =
            "create table if not exists account (id varchar(40) primary key, cents bigint not null check (cents >= 0))";

    private Accounts() {}

    static void open(Connection connection, String id, long cents) throws SQLException {
        update(connection, "insert into account (cents, id) values (?, ?)", cents, id);
    }

    static void take(Connection connection, String id, long cents) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("update account set cents = cents - ? where id = ? and cents >= ?")) {
            statement.setLong(1, cents);
            statement.setString(2, id);
            statement.setLong(3, cents);
            if (statement.executeUpdate() == 0) {
                throw new StepRejectedException("NOT_ENOUGH", "account " + id + " has less than " + cents);
            }
        }
    }

    static void give(Connection connection, String id, long cents) throws SQLException {
        if (update(connection, "update account set cents = cents + ? where id = ?", cents, id) == 0) {
            throw new StepRejectedException("NO_ACCOUNT", "there is no account " + id);
        }
    }

    private static int update(Connection connection, String sql, long cents, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, cents);
            statement.setString(2, id);
            return statement.executeUpdate();
        }
    }

    static OptionalLong cents(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select cents from account where id = ?")) {
            statement.setString(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
            }
        }
    }
}
