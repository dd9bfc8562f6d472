package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.NewInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Settings of pools that applications have. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SettingsContract {
    TestDatabase database;

    abstract TestDatabase fresh();

    @BeforeAll
    void migrate() {
        database = fresh();
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
        }
    }

    @Test // F047
    void fifty_sagas_start_and_are_claimed_though_the_pool_is_serializable() throws Exception {
        for (boolean autoCommit : new boolean[] {true, false}) {
            try (HikariDataSource strict = database.pool(config -> {
                config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
                config.setAutoCommit(autoCommit);
                config.setMaximumPoolSize(12);
            })) {
                Sagas others = new Sagas(JdbcSagaStore.create(strict, new JdbcTransactions(strict)));

                others.claim(100);
                List<InsertResult.Kind> kinds = together(
                        50,
                        number -> others.insert(List.of(others.saga(autoCommit + " " + number, null)))
                                .get(0));

                assertThat(kinds).containsOnly(InsertResult.Kind.INSERTED);
                assertThat(together(4, number -> others.claim(20).size()).stream()
                                .mapToInt(n -> n)
                                .sum())
                        .isEqualTo(50);
            }
        }
    }

    @Test
    void nobody_needs_a_second_connection_inside_a_transaction() throws Exception {
        try (HikariDataSource one = database.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionTimeout(2000);
        })) {
            JdbcTransactions only = new JdbcTransactions(one);
            Sagas others = new Sagas(JdbcSagaStore.create(one, only));
            NewInstance saga = others.saga("key", null);

            only.run(() -> {
                assertThat(others.store.insertJoined(saga).kind()).isEqualTo(InsertResult.Kind.INSERTED);
                assertThat(others.store.find(saga.sagaId())).isPresent();
                assertThat(others.store.find("order", "key")).isPresent();
                assertThat(others.store.history(saga.sagaId())).isEmpty();
                return others.store.compensations(saga.sagaId());
            });
        }
    }

    private interface Numbered<T> {
        T call(int number) throws Exception;
    }

    private static <T> List<T> together(int count, Numbered<T> call) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(10);
        try {
            List<Callable<T>> calls = IntStream.range(0, count)
                    .mapToObj(number -> (Callable<T>) () -> call.call(number))
                    .toList();
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
