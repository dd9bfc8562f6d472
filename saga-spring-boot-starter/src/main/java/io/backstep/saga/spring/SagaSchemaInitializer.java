package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.jdbc.SagaSchema;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;

/**
 * Brings the tables up to date, or checks them. Not a Flyway bean: that would switch off the application's own. Runs after every
 * other database initializer, see {@link SagaSchemaInitializerDetector}.
 */
final class SagaSchemaInitializer implements InitializingBean {
    /** Other codes say that the database is away, or is none that we know. */
    private static final String NOT_AS_NEEDED = "SAGA-CFG-003";

    private final DataSource dataSource;
    private final PoolSize pool;
    private final SagaSchema.Options options;
    private final boolean migrate;
    private final Duration lockTimeout;
    private final FirstContact contact;

    SagaSchemaInitializer(
            DataSource dataSource,
            PoolSize pool,
            SagaSchema.Options options,
            boolean migrate,
            Duration lockTimeout,
            FirstContact contact) {
        this.dataSource = dataSource;
        this.pool = pool;
        this.options = options;
        this.migrate = migrate;
        this.lockTimeout = lockTimeout;
        this.contact = contact;
    }

    @Override
    public void afterPropertiesSet() {
        contact.need(this::bringUpToDate);
    }

    /** Looks first: a migration takes a lock and two connections, and tables that are current need none. */
    private void bringUpToDate() {
        try {
            SagaSchema.verify(dataSource, options);
        } catch (SagaConfigurationException e) {
            if (!migrate || !e.code().equals(NOT_AS_NEEDED)) {
                throw e;
            }
            migrate();
        }
    }

    private void migrate() {
        if (pool.isOne()) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-006",
                    "the connection pool has a maximum of 1, and the tables of the sagas must be created or migrated;"
                            + " allowed is 2 or more for that");
        }
        SagaSchema.migrate(dataSource, options, lockTimeout);
    }
}
