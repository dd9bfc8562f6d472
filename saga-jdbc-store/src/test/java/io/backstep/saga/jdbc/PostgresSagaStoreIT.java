package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import io.backstep.saga.testsupport.TestPostgres;
import java.time.Duration;
import java.util.UUID;

class PostgresSagaStoreIT extends JdbcStoreContract {
    @Override
    void configure(HikariConfig config) {
        TestPostgres.Db database = TestPostgres.fresh();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
    }

    @Override
    protected void age(UUID sagaId, Duration by) {
        execute(
                "update saga_instance set created_at = created_at - ? * interval '1 microsecond',"
                        + " updated_at = updated_at - ? * interval '1 microsecond',"
                        + " due_at = due_at - ? * interval '1 microsecond',"
                        + " deadline = deadline - ? * interval '1 microsecond' where saga_id = ?",
                micros(by),
                micros(by),
                micros(by),
                micros(by),
                sagaId);
    }
}
