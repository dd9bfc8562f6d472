package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.testsupport.TestMariaDb;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** An empty database of one's own, and pools on it. */
record TestDatabase(String url, String user, String password) {
    static TestDatabase postgres() {
        TestPostgres.Db db = TestPostgres.fresh();
        return new TestDatabase(db.url(), db.user(), db.password());
    }

    static TestDatabase h2() {
        return h2("MODE=REGULAR");
    }

    static TestDatabase h2(String settings) {
        return new TestDatabase("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;" + settings, "sa", "");
    }

    static TestDatabase mariaDb() {
        return of(TestMariaDb.fresh());
    }

    /** Understands double quotes as the other databases do. */
    static Stream<TestDatabase> mariaDbIfThere() {
        return TestMariaDb.freshIfThere().stream()
                .map(db -> of(db).with("sessionVariables=sql_mode=concat(@@sql_mode,',ANSI_QUOTES')"));
    }

    private static TestDatabase of(TestMariaDb.Db db) {
        return new TestDatabase(db.url(), db.user(), db.password());
    }

    /** With properties of the driver. */
    TestDatabase with(String properties) {
        return new TestDatabase(url + (url.contains("?") ? "&" : "?") + properties, user, password);
    }

    static List<TestDatabase> both() {
        return List.of(postgres(), h2());
    }

    HikariDataSource pool(Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMinimumIdle(0);
        settings.accept(config);
        return new HikariDataSource(config);
    }

    HikariDataSource pool() {
        return pool(config -> {});
    }

    static int execute(DataSource dataSource, String statement, Object... parameters) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            return execute(connection, statement, parameters);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static int execute(Connection connection, String statement, Object... parameters) throws SQLException {
        try (var prepared = connection.prepareStatement(statement)) {
            for (int i = 0; i < parameters.length; i++) {
                prepared.setObject(i + 1, parameters[i]);
            }
            return prepared.executeUpdate();
        }
    }

    /** As a command line client runs a file. */
    static void script(DataSource dataSource, String statements) {
        try (Connection connection = dataSource.getConnection();
                var plain = connection.createStatement()) {
            plain.execute(statements);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> strings(DataSource dataSource, String query, Object... parameters) {
        try (Connection connection = dataSource.getConnection()) {
            return strings(connection, query, parameters);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> strings(Connection connection, String query, Object... parameters) throws SQLException {
        try (var prepared = connection.prepareStatement(query)) {
            for (int i = 0; i < parameters.length; i++) {
                prepared.setObject(i + 1, parameters[i]);
            }
            List<String> all = new ArrayList<>();
            try (ResultSet rows = prepared.executeQuery()) {
                while (rows.next()) {
                    all.add(rows.getString(1));
                }
            }
            return all;
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }
}
