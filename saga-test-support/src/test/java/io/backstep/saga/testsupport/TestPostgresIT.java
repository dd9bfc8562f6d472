package io.backstep.saga.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class TestPostgresIT {

    @Test
    void each_caller_gets_an_empty_database_of_its_own() throws SQLException {
        TestPostgres.Db one = TestPostgres.fresh();
        TestPostgres.Db other = TestPostgres.fresh();

        execute(one, "create table t (id int)");

        assertThat(tables(one)).isEqualTo(1);
        assertThat(tables(other)).isZero();
    }

    private static void execute(TestPostgres.Db db, String sql) throws SQLException {
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int tables(TestPostgres.Db db) throws SQLException {
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select count(*) from information_schema.tables where table_schema = 'public'")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
