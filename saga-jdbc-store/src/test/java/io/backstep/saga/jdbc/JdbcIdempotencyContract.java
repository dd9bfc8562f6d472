package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.test.IdempotencyContract;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;

/** The contract on a participant's own database, which all its cases share. */
abstract class JdbcIdempotencyContract extends IdempotencyContract {
    private static final Map<ParticipantDatabase, HikariDataSource> OPEN = new EnumMap<>(ParticipantDatabase.class);

    private final ParticipantDatabase database;
    private HikariDataSource dataSource;
    private JdbcIdempotencyStore store;

    JdbcIdempotencyContract(ParticipantDatabase database) {
        this.database = database;
    }

    void configure(HikariConfig config) {}

    @BeforeEach
    void open() {
        dataSource = OPEN.computeIfAbsent(
                database,
                each -> each.open(config -> {
                    config.setMaximumPoolSize(25);
                    configure(config);
                }));
        store = JdbcIdempotencyStore.create(dataSource);
    }

    @AfterAll
    static void close() {
        OPEN.values().forEach(HikariDataSource::close);
        OPEN.clear();
    }

    @Override
    protected IdempotencyStore store() {
        return store;
    }

    @Override
    protected void age(String key, Duration by) {
        long micros = Rows.micros(by);
        int rows = TestDatabase.execute(
                dataSource,
                "update saga_idempotency set " + database.earlier("busy_until") + ", " + database.earlier("expires_at")
                        + " where request_key = ?",
                micros,
                micros,
                key);
        assertThat(rows).isEqualTo(1);
    }
}
