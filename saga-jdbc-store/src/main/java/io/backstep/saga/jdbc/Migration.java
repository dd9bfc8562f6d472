package io.backstep.saga.jdbc;

import io.backstep.saga.SagaConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The only class that needs Flyway, which an application may leave out. */
final class Migration {
    private static final Logger log = LoggerFactory.getLogger(Migration.class);
    private static final int MAX_TRIES = 5;
    private static final String WHO_HOLDS_THE_LOCK =
            " (who migrates holds an advisory lock: select pid from pg_locks where locktype = 'advisory')";
    private static final long PAUSE_MILLIS = 200;

    private Migration() {}

    /** Waits for a lock that somebody else holds for so long, with a try each second. */
    static void run(DataSource dataSource, SagaSchema.Options options, Product product, int lockSeconds) {
        FluentConfiguration flyway = Flyway.configure(Migration.class.getClassLoader())
                .dataSource(dataSource)
                .table(options.tablePrefix() + "schema_history")
                .locations("classpath:io/backstep/saga/jdbc/schema/" + product.folder())
                .placeholders(Map.of(
                        "q", options.qualifier(product), "p", options.tablePrefix(), "collation", product.collation()))
                // the application's tables may be there already
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .lockRetryCount(lockSeconds);
        if (options.schema() != null) {
            flyway.schemas(options.schema());
        }
        migrate(dataSource, flyway, options, product, lockSeconds);
    }

    /**
     * Nodes that begin at once can meet a history that another has made, but not filled. A refusal by the database has a cause:
     * Flyway has tried it again by itself. So it has a lock of PostgreSQL that somebody else holds, for as long as it was told to.
     */
    private static void migrate(
            DataSource dataSource,
            FluentConfiguration flyway,
            SagaSchema.Options options,
            Product product,
            int lockSeconds) {
        for (int tries = 1; ; tries++) {
            long begin = System.nanoTime();
            try {
                if (product.commitsDdl()) {
                    forgetFailure(dataSource, options.history(product));
                }
                flyway.load().migrate();
                return;
            } catch (FlywayException e) {
                if (e.getCause() != null || hasWaited(product, begin, lockSeconds) || tries == MAX_TRIES || !pause()) {
                    throw failed(options, product, e);
                }
                log.info("the tables {} could not be brought up to date; trying again", options.shown());
            }
        }
    }

    private static boolean hasWaited(Product product, long begin, int lockSeconds) {
        return product == Product.POSTGRESQL && System.nanoTime() - begin >= TimeUnit.SECONDS.toNanos(lockSeconds - 1L);
    }

    /**
     * Where each statement commits by itself, Flyway notes a failure and then waits for an operator. Our statements may run again, so
     * nobody need repair anything.
     */
    private static void forgetFailure(DataSource dataSource, String history) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("delete from " + history + " where success = false");
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            log.debug("there is no history yet, or Flyway will say what is wrong with it", e);
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static SagaConfigurationException failed(
            SagaSchema.Options options, Product product, FlywayException cause) {
        return new SagaConfigurationException(
                "SAGA-CFG-003",
                "the tables " + options.shown() + " cannot be brought up to date; apply what SagaSchema.ddl"
                        + " prints by hand, or repair what this says: " + cause.getMessage()
                        + (product == Product.POSTGRESQL ? WHO_HOLDS_THE_LOCK : ""),
                cause);
    }
}
