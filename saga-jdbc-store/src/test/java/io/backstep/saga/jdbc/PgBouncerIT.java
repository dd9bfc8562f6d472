package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import io.backstep.saga.testsupport.TestPgBouncer;
import io.backstep.saga.testsupport.TestPostgres;
import org.junit.jupiter.api.condition.EnabledIf;

/** The contract through a pooler in transaction mode (F035), on tables that only a qualified name finds (F071). */
@EnabledIf(
        value = "io.backstep.saga.testsupport.TestPgBouncer#isThere",
        disabledReason = "pgbouncer is not installed; with CI set this fails")
class PgBouncerIT extends PostgresSagaStoreIT {
    @Override
    void configure(HikariConfig config) {
        TestPostgres.Db database = TestPgBouncer.before(TestPostgres.fresh());
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
    }

    @Override
    SagaSchema.Options options() {
        return SagaSchema.Options.of("my_", "Orders");
    }
}
