package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import io.backstep.saga.testsupport.TestMariaDb;
import java.time.Duration;
import java.util.UUID;

/** At the server's own isolation, REPEATABLE READ. */
class MariaDbSagaStoreIT extends JdbcStoreContract {
    @Override
    void configure(HikariConfig config) {
        TestMariaDb.Db database = TestMariaDb.fresh();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
    }

    @Override
    Object parameter(UUID sagaId) {
        return Binding.Bytes.bytes(sagaId);
    }

    @Override
    protected void age(UUID sagaId, Duration by) {
        execute(
                "update saga_instance set created_at = created_at - interval ? microsecond,"
                        + " updated_at = updated_at - interval ? microsecond,"
                        + " due_at = due_at - interval ? microsecond,"
                        + " deadline = deadline - interval ? microsecond where saga_id = ?",
                micros(by),
                micros(by),
                micros(by),
                micros(by),
                sagaId);
    }
}
