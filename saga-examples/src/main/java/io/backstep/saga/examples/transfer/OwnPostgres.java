package io.backstep.saga.examples.transfer;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** A PostgreSQL server with two empty databases, for as long as the example runs. It prepares transactions, which is off by default. */
final class OwnPostgres implements AutoCloseable {
    private static final String HERE = "here";
    private static final String THERE = "there";
    private static final String LOGIN = "postgres";

    private final EmbeddedPostgres server;

    private OwnPostgres(EmbeddedPostgres server) {
        this.server = server;
    }

    static OwnPostgres start() throws IOException, SQLException {
        OwnPostgres own = new OwnPostgres(EmbeddedPostgres.builder()
                .setServerConfig("max_prepared_transactions", "20")
                .setPGStartupWait(Duration.ofSeconds(60)) // a busy machine
                .start());
        try (Connection connection = own.server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + HERE);
            statement.execute("create database " + THERE);
            return own;
        } catch (SQLException e) {
            own.close();
            throw e;
        }
    }

    /** What {@link Transfers} takes: two URLs, user, password. */
    String[] arguments() {
        return new String[] {server.getJdbcUrl(LOGIN, HERE), server.getJdbcUrl(LOGIN, THERE), LOGIN, LOGIN};
    }

    /** Stops it, and deletes its data. */
    @Override
    public void close() throws IOException {
        server.close();
    }
}
