package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.testsupport.TestPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class PostgresJoinedStartIT extends JoinedStartContract {
    @Override
    void configure(HikariConfig config) {
        TestPostgres.Db database = TestPostgres.fresh();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
    }

    @Test
    void starts_that_wait_for_a_key_in_an_open_transaction_stop_nothing_else() throws Exception {
        String key = UUID.randomUUID().toString();
        List<CompletableFuture<UUID>> waiting = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        UUID first = transactions.run(() -> {
            UUID started = start(key);
            for (int writers = 1; writers <= Tuning.defaults().writers(); writers++) {
                waiting.add(CompletableFuture.supplyAsync(() -> start(key), threads));
                int all = writers;
                await().until(() -> blocked() == all);
            }
            UUID other = transactions.inTransaction(() -> start(key + "other"));
            assertThat(transactions
                            .inTransaction(() -> sagas().await(other, LONG))
                            .status())
                    .isEqualTo(SagaStatus.COMPLETED);
            return started;
        });

        for (CompletableFuture<UUID> start : waiting) {
            assertThat(start.get()).isEqualTo(first);
        }
        threads.shutdown();
    }

    private int blocked() throws Exception {
        return transactions.inTransaction(() -> {
            try (var query = transactions
                            .connection()
                            .prepareStatement("select count(*) from pg_stat_activity"
                                    + " where datname = current_database() and wait_event_type = 'Lock'");
                    var rows = query.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        });
    }

    private UUID start(String key) {
        return sagas().start(TYPE, new Note("x"), StartOptions.businessKey(key)).sagaId();
    }
}
