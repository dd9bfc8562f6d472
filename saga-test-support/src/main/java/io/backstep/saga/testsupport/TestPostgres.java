package io.backstep.saga.testsupport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * One PostgreSQL per JVM: SAGA_TEST_PG=url (with SAGA_TEST_PG_URL), docker, embedded or auto (the
 * default: Docker when there, else embedded). A fresh database per caller.
 */
public final class TestPostgres {
    public record Db(String url, String user, String password) {
        public Connection connect() throws SQLException {
            return DriverManager.getConnection(url, user, password);
        }
    }

    public static final String KIND;
    private static final String HOST_PORT;
    private static final String USER;
    private static final String PASSWORD;
    private static final AtomicInteger N = new AtomicInteger();

    static {
        String kind = System.getenv().getOrDefault("SAGA_TEST_PG", "auto");
        if (kind.equals("auto")) {
            // look for the socket first: isDockerAvailable() costs 1.4 s and logs an ERROR without Docker
            boolean maybe = System.getenv("DOCKER_HOST") != null
                    || java.nio.file.Files.exists(java.nio.file.Path.of("/var/run/docker.sock"));
            kind = maybe && DockerClientFactory.instance().isDockerAvailable() ? "docker" : "embedded";
        }
        KIND = kind;
        if (kind.equals("docker")) {
            PostgreSQLContainer c = new PostgreSQLContainer("postgres:17-alpine")
                    .withCommand("postgres", "-c", "max_prepared_transactions=50", "-c", "fsync=off");
            c.start(); // Ryuk stops it at JVM exit
            HOST_PORT = c.getHost() + ":" + c.getMappedPort(5432);
            USER = c.getUsername();
            PASSWORD = c.getPassword();
        } else {
            try {
                EmbeddedPostgres pg = EmbeddedPostgres.builder()
                        .setPGStartupWait(Duration.ofSeconds(60)) // default 10 s is short on 2 busy cores
                        .setServerConfig("max_prepared_transactions", "50")
                        .setServerConfig("max_connections", "200")
                        .setServerConfig("wal_level", "logical")
                        .start(); // own shutdown hook stops it
                HOST_PORT = "localhost:" + pg.getPort();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            USER = "postgres";
            PASSWORD = "postgres";
        }
    }

    private TestPostgres() {}

    public static Db fresh() {
        String name = "t" + N.incrementAndGet() + "_" + ProcessHandle.current().pid();
        try (Connection c =
                        DriverManager.getConnection("jdbc:postgresql://" + HOST_PORT + "/postgres", USER, PASSWORD);
                var s = c.createStatement()) {
            s.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new Db("jdbc:postgresql://" + HOST_PORT + "/" + name, USER, PASSWORD);
    }
}
