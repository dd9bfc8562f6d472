package io.backstep.saga.jdbc;

import io.backstep.saga.store.Listening;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what other nodes notify, on a connection that it keeps, outside any transaction. When that is lost it opens another one, and
 * hints once: something may have been missed. At the end it gives the connection back as it was.
 */
final class PostgresHints implements Listening, Runnable {
    private static final Logger log = LoggerFactory.getLogger(PostgresHints.class);

    /** When nothing was heard for so long, it asks whether the server is still there. */
    private static final Duration SILENCE = Duration.ofMinutes(1);

    /** It listens in such parts, to end soon when it is closed; that is no question to the server. */
    private static final Duration PART = Duration.ofMillis(200);

    private static final int SECONDS_TO_ANSWER = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** A connection that has listened for so long was a good one: the next pause is the first again. */
    private static final long GOOD_NANOS = LONGEST_PAUSE.toNanos();

    private static final Duration LONGEST_END = Duration.ofSeconds(5);

    /** Of a channel, in bytes. */
    private static final int LONGEST_NAME = 63;

    /** Of the driver's own interface, which this module is compiled without. */
    private static final String DRIVER = "org.postgresql.PGConnection";

    private final DataSource source;
    private final String channel;
    private final LongSupplier nanos;
    private final Runnable hint;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private Duration pause = FIRST_PAUSE;

    private PostgresHints(DataSource source, String channel, LongSupplier nanos, Runnable hint) {
        this.source = source;
        this.channel = channel;
        this.nanos = nanos;
        this.hint = hint;
        this.thread = new Thread(this, "saga-hints");
        thread.setDaemon(true);
    }

    static Listening listen(DataSource source, String channel, LongSupplier nanos, Runnable hint) {
        PostgresHints hints = new PostgresHints(source, channel, nanos, hint);
        hints.thread.start();
        return hints;
    }

    /**
     * Of one set of tables: those of another prefix or schema of the database have another one. Where the server cuts names off,
     * a hash of it.
     */
    static String channel(String schema, String tablePrefix) {
        byte[] name = (schema + "." + tablePrefix.toLowerCase(Locale.ROOT) + "hint").getBytes(StandardCharsets.UTF_8);
        return name.length <= LONGEST_NAME
                ? new String(name, StandardCharsets.UTF_8)
                : "saga_hint_" + UUID.nameUUIDFromBytes(name);
    }

    @Override
    public void run() {
        while (!isClosed()) {
            try (Connection connection = source.getConnection()) {
                try {
                    hear(connection);
                } catch (SQLException | RuntimeException | Error e) {
                    connection.abort(Runnable::run); // in a pool others would hear what it listens to
                    throw e;
                }
            } catch (SQLException | RuntimeException | Error e) { // nobody else would tell of an error in this thread
                lost(e);
            }
            rest();
        }
    }

    private void hear(Connection connection) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        execute(connection, "listen \"" + channel.replace("\"", "\"\"") + "\"");
        long begun = nanos.getAsLong();
        hint.run();
        for (long parts = 1; !isClosed(); parts++) {
            if (nanos.getAsLong() - begun >= GOOD_NANOS) {
                good();
            }
            if (hasHeard(connection)) {
                parts = 0;
                hint.run();
            } else if (parts % SILENCE.dividedBy(PART) == 0 && !connection.isValid(SECONDS_TO_ANSWER)) {
                throw new SQLException("the connection does not answer", "08006");
            }
        }
        execute(connection, "unlisten *");
        connection.setAutoCommit(autoCommit);
    }

    private void good() {
        if (pause.compareTo(FIRST_PAUSE) > 0) {
            log.info("listening to other nodes again, for {} s by now", LONGEST_PAUSE.toSeconds());
            pause = FIRST_PAUSE;
        }
    }

    private static void execute(Connection connection, String command) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }

    /** Whether its driver tells what it hears. */
    static boolean canHear(Connection connection) throws SQLException {
        try {
            return connection.isWrapperFor(Class.forName(DRIVER));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Waits until something is heard, but not for long. */
    private static boolean hasHeard(Connection connection) throws SQLException {
        try {
            Class<?> driver = Class.forName(DRIVER);
            Object heard = driver.getMethod("getNotifications", int.class)
                    .invoke(connection.unwrap(driver), (int) PART.toMillis());
            return heard instanceof Object[] all && all.length > 0;
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof SQLException failure ? failure : new SQLException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new SQLException("the driver cannot hear notifications", e);
        }
    }

    private void lost(Throwable failure) {
        if (!isClosed() && pause.equals(FIRST_PAUSE)) {
            log.warn(
                    "SAGA-DB-016: this node cannot listen to others; it polls, and tries to listen again: {}",
                    failure.toString());
        }
    }

    private void rest() {
        try {
            if (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                Duration twice = pause.multipliedBy(2);
                pause = twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does, but for whoever ends all threads
            closed.countDown();
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Waits shortly until the connection is given back. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt(); // it may be waiting for a connection
        try {
            if (Thread.currentThread() != thread) {
                thread.join(LONGEST_END.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
