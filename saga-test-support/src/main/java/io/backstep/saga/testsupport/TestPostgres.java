package io.backstep.saga.testsupport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * One PostgreSQL for each JVM, and a fresh database for each caller. The environment variable {@code SAGA_TEST_PG} says where
 * it comes from: {@code docker}, {@code embedded}, or {@code auto} (the default: Docker if it is there, else embedded).
 */
public final class TestPostgres {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private TestPostgres() {}

    /**
     * A database of one's own. It goes away with the server at the end of the JVM.
     *
     * @param url the JDBC URL
     * @param user the user, who owns the database
     * @param password the user's password
     */
    public record Db(String url, String user, String password) {
        /**
         * Opens a connection, which the caller closes.
         *
         * @return a new connection in auto-commit mode
         * @throws SQLException if the server refuses
         */
        public Connection connect() throws SQLException {
            return DriverManager.getConnection(url, user, password);
        }
    }

    /**
     * Creates a new, empty database, and starts the server if this is the first call in the JVM.
     *
     * @return the database
     */
    public static Db fresh() {
        String name =
                "t" + COUNT.incrementAndGet() + "_" + ProcessHandle.current().pid();
        try (Connection connection = Server.RUNNING.database("postgres").connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return Server.RUNNING.database(name);
    }

    private record Server(String hostAndPort, String user, String password) {

        static final Server RUNNING = useDocker() ? inDocker() : embedded();

        Db database(String name) {
            return new Db("jdbc:postgresql://" + hostAndPort + "/" + name, user, password);
        }

        private static boolean useDocker() {
            String kind = System.getenv().getOrDefault("SAGA_TEST_PG", "auto");
            return switch (kind) {
                case "docker" -> true;
                case "embedded" -> false;
                case "auto" -> mayHaveDocker() && DockerClientFactory.instance().isDockerAvailable();
                default -> throw new IllegalArgumentException("SAGA_TEST_PG: docker, embedded or auto, not " + kind);
            };
        }

        /** Looks for the socket first, because isDockerAvailable() costs 1.4 s and logs an ERROR without Docker. */
        private static boolean mayHaveDocker() {
            return System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock"));
        }

        private static Server inDocker() {
            PostgreSQLContainer container = new PostgreSQLContainer("postgres:17-alpine")
                    .withCommand("postgres", "-c", "max_prepared_transactions=50", "-c", "fsync=off");
            container.start(); // Testcontainers stops it at the end of the JVM
            String address = container.getHost() + ":" + container.getMappedPort(5432);
            return new Server(address, container.getUsername(), container.getPassword());
        }

        private static Server embedded() {
            try {
                EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setPort(FreePort.find())
                        .setPGStartupWait(Duration.ofSeconds(60)) // the default of 10 s is short on two busy cores
                        .setServerConfig("max_prepared_transactions", "50")
                        .setServerConfig("max_connections", "200")
                        .setServerConfig("wal_level", "logical")
                        .start(); // its own shutdown hook stops it
                return new Server("localhost:" + server.getPort(), "postgres", "postgres");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
