package io.backstep.saga.jdbc;

import io.backstep.saga.SagaConfigurationException;
import java.util.Map;
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
                .placeholders(Map.of("q", options.qualifier(), "p", options.tablePrefix()))
                // the application's tables may be there already
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .lockRetryCount(lockSeconds);
        if (options.schema() != null) {
            flyway.schemas(options.schema());
        }
        migrate(flyway, options, product);
    }

    /**
     * On H2 nodes that begin at once can meet a history that another has made, but not filled. A refusal by the database has a cause:
     * Flyway has tried it again by itself. So it has a lock of PostgreSQL that somebody else holds.
     */
    private static void migrate(FluentConfiguration flyway, SagaSchema.Options options, Product product) {
        for (int tries = 1; ; tries++) {
            try {
                flyway.load().migrate();
                return;
            } catch (FlywayException e) {
                if (e.getCause() != null || product == Product.POSTGRESQL || tries == MAX_TRIES || !pause()) {
                    throw failed(options, product, e);
                }
                log.info("the tables {}... could not be brought up to date; trying again", options.qualifier());
            }
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
                "the tables " + options.qualifier() + "... cannot be brought up to date; apply what SagaSchema.ddl"
                        + " prints by hand, or repair what this says: " + cause.getMessage()
                        + (product == Product.POSTGRESQL ? WHO_HOLDS_THE_LOCK : ""),
                cause);
    }
}
