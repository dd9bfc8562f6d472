package io.backstep.saga.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class TestMariaDbIT {

    @Test
    void each_caller_gets_an_empty_database_of_its_own() throws SQLException {
        TestMariaDb.Db one = TestMariaDb.fresh();
        TestMariaDb.Db other = TestMariaDb.fresh();

        try (Connection connection = one.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create table t (id int)");
        }

        assertThat(tables(one)).isEqualTo(1);
        assertThat(tables(other)).isZero();
    }

    private static int tables(TestMariaDb.Db db) throws SQLException {
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select count(*) from information_schema.tables where table_schema = database()")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
