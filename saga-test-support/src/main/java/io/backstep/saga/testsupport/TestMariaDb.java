package io.backstep.saga.testsupport;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/**
 * One MariaDB for each JVM, and a fresh database for each caller. The environment variable {@code SAGA_TEST_MARIADB} names a server
 * that runs already, as {@code jdbc:mariadb://host:port/} ({@code SAGA_TEST_MARIADB_USER} is root and {@code SAGA_TEST_MARIADB_PASSWORD}
 * empty by default). Else an installed {@code mariadbd} is started; without one the tests are skipped, but fail where {@code CI} is set.
 */
public final class TestMariaDb {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final String NONE =
            "no MariaDB: apt-get install mariadb-server, or name a server by SAGA_TEST_MARIADB";

    private TestMariaDb() {}

    /**
     * A database of one's own. It goes away with the server at the end of the JVM.
     *
     * @param url the JDBC URL
     * @param user the user, who may do everything
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
     * Creates a new, empty database, and starts the server if this is the first call in the JVM. Without a server it skips the test
     * that calls it, or fails it where the environment variable {@code CI} is set.
     *
     * @return the database
     */
    public static Db fresh() {
        Optional<Db> fresh = freshIfThere();
        Assumptions.assumeTrue(fresh.isPresent(), NONE);
        return fresh.orElseThrow();
    }

    /**
     * Like {@link #fresh}, for tests that have something to do without it.
     *
     * @return the database, or empty without a server; there must be one where the environment variable {@code CI} is set
     */
    public static Optional<Db> freshIfThere() {
        if (Server.RUNNING.isEmpty() && System.getenv("CI") != null) {
            throw new IllegalStateException(NONE);
        }
        return Server.RUNNING.map(TestMariaDb::fresh);
    }

    private static Db fresh(Db server) {
        String name =
                "t" + COUNT.incrementAndGet() + "_" + ProcessHandle.current().pid();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new Db(server.url() + name, server.user(), server.password());
    }

    private static final class Server {
        static final Optional<Db> RUNNING = named().or(Server::started);

        private static Optional<Db> named() {
            return Optional.ofNullable(System.getenv("SAGA_TEST_MARIADB"))
                    .map(url -> new Db(
                            url.endsWith("/") ? url : url + "/",
                            System.getenv().getOrDefault("SAGA_TEST_MARIADB_USER", "root"),
                            System.getenv().getOrDefault("SAGA_TEST_MARIADB_PASSWORD", "")));
        }

        private static Optional<Db> started() {
            return MariaDbServer.start().map(port -> new Db("jdbc:mariadb://127.0.0.1:" + port + "/", "root", ""));
        }
    }
}
