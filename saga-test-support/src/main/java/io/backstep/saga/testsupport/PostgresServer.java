package io.backstep.saga.testsupport;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL of one's own that keeps what it acknowledged (fsync and synchronous_commit on), for tests that harm it: it can crash and
 * start again on the same data and port, lose a connection, and run out of disk. Stopped and deleted by {@link #close} or at the end of
 * the JVM; a JVM that is killed leaves it running.
 */
public final class PostgresServer implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final PostgresFiles files;
    private final int port;
    private final Thread atExit = new Thread(this::delete, "postgres-stop");

    private PostgresServer(PostgresFiles files, int port) {
        this.files = files;
        this.port = port;
    }

    /**
     * Creates and starts one.
     *
     * @param settings of the server, instead of its defaults and ours
     * @return the server, running
     * @throws IOException when the programs or the folder cannot be used
     */
    public static PostgresServer start(Map<String, String> settings) throws IOException {
        return started(PostgresFiles.create(0), settings);
    }

    /**
     * Creates and starts one whose data and log of writes are on a small disk of their own. Needs root.
     *
     * @param megabytes the size of the disk, at least 100
     * @param settings of the server, instead of its defaults and ours
     * @return the server, running
     * @throws IOException when the disk cannot be mounted
     */
    public static PostgresServer startOnSmallDisk(int megabytes, Map<String, String> settings) throws IOException {
        return started(PostgresFiles.create(megabytes), settings);
    }

    private static PostgresServer started(PostgresFiles files, Map<String, String> settings) throws IOException {
        return started(files, files.initialise(settings));
    }

    private static PostgresServer started(PostgresFiles files, int port) throws IOException {
        PostgresServer server = new PostgresServer(files, port);
        Runtime.getRuntime().addShutdownHook(server.atExit);
        try {
            server.start();
        } catch (IOException e) {
            server.close();
            throw e;
        }
        return server;
    }

    /**
     * Starts a second one that follows this and can only be read: a hot standby, with all databases that there are by now. This one is
     * stopped and started again.
     *
     * @return the standby, running
     * @throws IOException when one of them does not stop or start
     */
    public PostgresServer standby() throws IOException {
        PostgresFiles copy = PostgresFiles.create(0);
        try {
            return started(copy, followedBy(copy));
        } catch (IOException e) {
            copy.delete();
            throw e;
        }
    }

    private int followedBy(PostgresFiles copy) throws IOException {
        stop();
        try {
            return copy.follow(files, port);
        } finally {
            start();
        }
    }

    /**
     * Starts it again, on the same data and port, and waits until it has recovered. Does nothing while it runs.
     *
     * @throws IOException when it does not start within a minute, with its log
     */
    public void start() throws IOException {
        if (!isUp()) {
            files.control("start", "-w", "-t", "60", "-l", files.log().toString());
        }
    }

    /**
     * Ends it at once, without a checkpoint, as a crash does: the next start recovers. Does nothing while it is down.
     *
     * @throws IOException when it cannot be ended
     */
    public void crash() throws IOException {
        stop("immediate");
    }

    /**
     * Ends it in order; clients are disconnected. Does nothing while it is down.
     *
     * @throws IOException when it cannot be ended
     */
    public void stop() throws IOException {
        stop("fast");
    }

    private void stop(String mode) throws IOException {
        if (files.hasProcess()) {
            files.control("stop", "-m", mode, "-w", "-t", "60");
        }
    }

    /**
     * Changes settings of the running server that need no restart.
     *
     * @param settings names and values
     * @throws IOException when they cannot be written
     */
    public void change(Map<String, String> settings) throws IOException {
        files.configure(settings);
        files.control("reload");
    }

    /**
     * Whether it answers.
     *
     * @return true when a query can be run
     */
    public boolean isUp() {
        return files.hasProcess() && query("select 1").isPresent();
    }

    /**
     * What a setting is.
     *
     * @param name of the setting
     * @return its value
     */
    public String setting(String name) {
        return query("show " + name).orElseThrow();
    }

    /**
     * Ends the connection of a client, any of them.
     *
     * @return false when there is none, or the server does not answer
     */
    public boolean killBackend() {
        return query("select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend'"
                        + " and pid <> pg_backend_pid() order by random() limit 1")
                .isPresent();
    }

    /**
     * Creates a new, empty database.
     *
     * @return the database
     */
    public TestPostgres.Db fresh() {
        String name = "s" + COUNT.incrementAndGet();
        try (Connection connection = database("postgres").connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database(name);
    }

    /**
     * A database of this server.
     *
     * @param name its name
     * @return how to get there
     */
    public TestPostgres.Db database(String name) {
        return new TestPostgres.Db("jdbc:postgresql://127.0.0.1:" + port + "/" + name, "postgres", "postgres");
    }

    /**
     * Where it listens, on the loopback address; the same after every start.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /**
     * Takes all space that its small disk has left, until {@link #freeDisk}.
     *
     * @throws IllegalStateException when it has no disk of its own
     */
    public void fillDisk() {
        files.fill();
    }

    /**
     * Gives back what {@link #fillDisk} has taken.
     *
     * @throws IOException when the disk cannot be used
     */
    public void freeDisk() throws IOException {
        files.emptyAgain();
    }

    /**
     * Its log.
     *
     * @return a file, which goes away with the server
     */
    public Path log() {
        return files.log();
    }

    /** Ends it, and deletes its data. */
    @Override
    public void close() {
        delete();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private void delete() {
        try {
            stop("immediate");
        } catch (IOException e) {
            // what is left is deleted all the same
        }
        files.delete();
    }

    private Optional<String> query(String sql) {
        String url = database("postgres").url() + "?connectTimeout=5&socketTimeout=10&loginTimeout=5";
        try (Connection connection = DriverManager.getConnection(url, "postgres", "postgres");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            @Nullable String first = rows.next() ? rows.getString(1) : null;
            return Optional.ofNullable(first);
        } catch (SQLException e) {
            return Optional.empty();
        }
    }
}
