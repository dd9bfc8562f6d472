package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.test.IdempotencyContract;
import java.sql.Connection;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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

    @Test
    void a_key_that_lives_again_while_a_purge_waits_for_it_stays() throws Exception {
        String key = UUID.randomUUID().toString();
        Duration day = Duration.ofDays(1);
        UUID token = UUID.randomUUID();
        store.claim(new IdempotencyClaim(key, "a".repeat(64), token, Duration.ofSeconds(1), day));
        store.complete(key, token, "\"done\"", day);
        age(key, Duration.ofDays(2));

        CompletableFuture<Integer> purge;
        try (Connection other = dataSource.getConnection()) {
            other.setAutoCommit(false);
            TestDatabase.execute(
                    other,
                    "update saga_idempotency set " + database.earlier("expires_at") + " where request_key = ?",
                    -Rows.micros(Duration.ofDays(4)),
                    key);
            purge = CompletableFuture.supplyAsync(() -> store.purge(1_000));
            await().until(() ->
                    !TestDatabase.strings(dataSource, database.whoWaits()).isEmpty());
            other.commit();
        }

        purge.get(1, TimeUnit.MINUTES);
        assertThat(TestDatabase.strings(
                        dataSource, "select request_key from saga_idempotency where request_key = '" + key + "'"))
                .containsExactly(key);
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
