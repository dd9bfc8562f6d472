package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PostgresJoinedStartIT extends JoinedStartContract {
    @Override
    void configure(HikariConfig config) {
        TestPostgres.Db database = TestPostgres.fresh();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
    }

    @Test // X7
    void starts_that_wait_for_a_key_in_an_open_transaction_stop_nothing_else() throws Exception {
        String key = UUID.randomUUID().toString();
        List<CompletableFuture<UUID>> waiting = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        UUID first = transactions.run(() -> {
            UUID started = start(key);
            for (int i = 0; i < 3 * Tuning.defaults().writers(); i++) {
                waiting.add(CompletableFuture.supplyAsync(() -> start(key), threads));
            }
            for (int i = 0; i < 50; i++) {
                String other = key + i;
                UUID neighbour = CompletableFuture.supplyAsync(() -> start(other), threads)
                        .get(1, TimeUnit.MINUTES);
                assertThat(CompletableFuture.supplyAsync(() -> sagas().await(neighbour, LONG), threads)
                                .get(1, TimeUnit.MINUTES)
                                .status())
                        .isEqualTo(SagaStatus.COMPLETED);
            }
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            return started;
        });

        for (CompletableFuture<UUID> start : waiting) {
            assertThat(start.get(1, TimeUnit.MINUTES)).isEqualTo(first);
        }
        threads.shutdown();
    }

    private UUID start(String key) {
        return sagas().start(TYPE, new Note("x"), StartOptions.businessKey(key)).sagaId();
    }
}
