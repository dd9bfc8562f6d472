package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.StartOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sixteen threads on two nodes start the same keys at once, alone and in transactions of their own. G2 */
class OneSagaPerKeyIT {
    private static final SagaType<Integer> TYPE = SagaType.named("one", Integer.class);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int THREADS = 16;
    private static final int KEYS = 150;

    private final TestDatabase database = TestDatabase.postgres();

    private final class Node implements AutoCloseable {
        final HikariDataSource pool = database.pool();
        final JdbcTransactions transactions = new JdbcTransactions(pool);
        final SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .build();

        Node() {
            engine.register(Saga.define(TYPE)
                    .step("count")
                    .transactional()
                    .action(c -> TestDatabase.execute(
                            transactions.connection(), "insert into effect values (?, ?)", c.sagaId(), c.input()))
                    .noCompensation("a test")
                    .build());
            engine.start();
        }

        UUID start(int key, int input) {
            return engine.client()
                    .start(TYPE, input, StartOptions.businessKey("key " + key))
                    .sagaId();
        }

        /** In the order of the keys, as all others do at the same time. */
        List<UUID> startAll(boolean joined) throws Exception {
            List<UUID> ids = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                int number = key;
                ids.add(joined ? transactions.inTransaction(() -> start(number, number)) : start(number, number));
            }
            return ids;
        }

        @Override
        public void close() {
            engine.close();
            pool.close();
        }
    }

    @Test // F011
    void each_key_has_one_saga_and_another_input_is_refused_and_changes_nothing() throws Exception {
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
            TestDatabase.execute(pool, "create table effect (saga_id uuid, input int)");
        }
        try (Node one = new Node();
                Node two = new Node()) {
            List<UUID> ids = together(number -> (number % 2 == 0 ? one : two).startAll(number % 4 < 2));

            ids.forEach(id ->
                    assertThat(one.engine.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED));
            List<String> rows = rows(one);
            assertThat(rows).hasSize(KEYS);
            assertThat(TestDatabase.strings(one.pool, "select saga_id from effect order by input"))
                    .as("each ran once")
                    .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
            for (int key = 0; key < KEYS; key++) {
                int number = key;
                assertThatThrownBy(() -> (number % 2 == 0 ? one : two).start(number, number + 1))
                        .isInstanceOf(SagaStartException.class)
                        .hasMessageContaining("SAGA-START-002");
            }
            assertThat(rows(two)).isEqualTo(rows);
        }
    }

    private static List<String> rows(Node node) {
        return TestDatabase.strings(node.pool, "select i::text from saga_instance i order by saga_id");
    }

    private interface Starter {
        List<UUID> start(int number) throws Exception;
    }

    /** Returns what all have got, which must be the same. */
    private static List<UUID> together(Starter starter) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<List<UUID>>> calls = IntStream.range(0, THREADS)
                    .mapToObj(number -> (Callable<List<UUID>>) () -> starter.start(number))
                    .toList();
            List<List<UUID>> all = new ArrayList<>();
            for (Future<List<UUID>> ids : threads.invokeAll(calls)) {
                all.add(ids.get());
            }
            assertThat(Set.copyOf(all)).hasSize(1);
            return all.get(0);
        } finally {
            threads.shutdownNow();
        }
    }
}
