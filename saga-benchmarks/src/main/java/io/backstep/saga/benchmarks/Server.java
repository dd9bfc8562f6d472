package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.benchmarks.Contender.Tally;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL that keeps what it has acknowledged: one of our own, or the one of {@code --url}, whose database must be empty. */
record Server(
        String url, String user, String password, @Nullable EmbeddedPostgres own) implements AutoCloseable {
    static Server of(Settings settings) throws IOException {
        String url = settings.text("url");
        if (!url.isEmpty()) {
            return new Server(url, settings.text("user"), settings.text("password"), null);
        }
        EmbeddedPostgres started = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofSeconds(60))
                .setServerConfig("fsync", "on") // these two are off by default here
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("shared_buffers", "1GB")
                .setServerConfig("max_wal_size", "8GB")
                .setServerConfig("max_connections", "200")
                .start();
        return new Server(
                "jdbc:postgresql://localhost:" + started.getPort() + "/postgres", "postgres", "postgres", started);
    }

    /** A new database on the same server, whose name begins with the one of this. */
    Server database(String suffix) {
        int from = url.lastIndexOf('/') + 1;
        int to = url.indexOf('?') < 0 ? url.length() : url.indexOf('?');
        String name = url.substring(from, to) + "_" + suffix.replace('-', '_');
        execute("create database " + name);
        return new Server(url.substring(0, from) + name + url.substring(to), user, password, null);
    }

    /** A pool with its own defaults, ten connections among them. */
    HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        return new HikariDataSource(config);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    String value(String query) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? String.valueOf(row.getString(1)) : "";
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    Tally tally(String query) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return new Tally(row.getLong(1), row.getLong(2), row.getLong(3));
        }
    }

    void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() throws IOException {
        if (own != null) {
            own.close();
        }
    }
}
