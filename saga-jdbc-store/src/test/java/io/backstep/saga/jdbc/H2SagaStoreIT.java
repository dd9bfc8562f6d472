package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import java.time.Duration;
import java.util.UUID;

class H2SagaStoreIT extends JdbcStoreContract {
    @Override
    void configure(HikariConfig config) {
        config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        config.setUsername("sa");
        config.setPassword("");
    }

    @Override
    protected void age(UUID sagaId, Duration by) {
        execute(
                "update saga_instance set created_at = dateadd(microsecond, -?, created_at),"
                        + " updated_at = dateadd(microsecond, -?, updated_at),"
                        + " due_at = dateadd(microsecond, -?, due_at),"
                        + " deadline = dateadd(microsecond, -?, deadline) where saga_id = ?",
                micros(by),
                micros(by),
                micros(by),
                micros(by),
                sagaId);
    }
}
