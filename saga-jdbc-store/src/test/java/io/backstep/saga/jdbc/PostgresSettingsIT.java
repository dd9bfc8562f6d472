package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.Acceptance.Kind;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settings of pools and servers that applications have. */
class PostgresSettingsIT {
    private final TestDatabase database = TestDatabase.postgres();
    private HikariDataSource pool;

    @BeforeEach
    void migrate() {
        pool = database.pool();
        SagaSchema.migrate(pool);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    /**
     * What a claim must not be: planned as a nested loop, which the settings and the stale statistics of this test bring about, the
     * part with the LIMIT runs again for every row, and each time it finds others.
     */
    private static final String TRAP = """
            update saga_instance set owner = 'trap' where saga_id in (
              select saga_id from saga_instance where definition_id = ? and due_at <= statement_timestamp()
                order by due_at limit 5 for update skip locked)
            """;

    @Test // F020
    void a_claim_takes_no_more_than_its_limit_whatever_the_plan() throws Exception {
        String settings = "-c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off";
        try (HikariDataSource odd = database.pool(config -> config.addDataSourceProperty("options", settings))) {
            Sagas others = new Sagas(JdbcSagaStore.create(odd, new JdbcTransactions(odd)));
            TestDatabase.execute(pool, "alter table saga_instance set (autovacuum_enabled = false)");
            for (int i = 1; i <= 50; i++) {
                others.insert(List.of(withId(others.saga(null, null), new UUID(0x7000L, i)))); // in order, as ids are
            }
            TestDatabase.execute(
                    pool, "update pg_class set relpages = 100, reltuples = 1 where relname = 'saga_instance'");

            assertThat(takenByTheTrap(odd, others.definition.definitionId()))
                    .as("the trap is open")
                    .isGreaterThan(5);
            assertThat(others.claim(5)).hasSize(5);

            assertThat(TestDatabase.strings(
                            pool,
                            "select saga_id from saga_instance where owner is not null and epoch = 1"
                                    + " and seq = 0 and due_at > clock_timestamp()"))
                    .hasSize(5);
        }
    }

    private static NewInstance withId(NewInstance row, UUID id) {
        return new NewInstance(
                id,
                row.definition(),
                row.businessKey(),
                row.inputHash(),
                row.status(),
                row.steps(),
                row.input(),
                row.format(),
                row.deadline(),
                row.lease());
    }

    private static int takenByTheTrap(HikariDataSource dataSource, int definitionId) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            int taken = TestDatabase.execute(connection, TRAP, definitionId);
            connection.rollback();
            return taken;
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

    @Test // F20
    void a_pool_that_is_read_only_by_default_still_runs_sagas() {
        try (HikariDataSource readOnly = database.pool(
                config -> config.addDataSourceProperty("options", "-c default_transaction_read_only=on"))) {
            Sagas others = new Sagas(JdbcSagaStore.create(readOnly, new JdbcTransactions(readOnly)));

            UUID id = others.owned(1).get(0);

            assertThat(others.submit(List.of(Sagas.write(id, 1, 0)))).containsExactly(Kind.ACCEPTED);
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
