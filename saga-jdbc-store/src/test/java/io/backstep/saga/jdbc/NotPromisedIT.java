package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.testsupport.PostgresServer;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What is not promised of databases, each by an example in which it does not hold. G24 */
class NotPromisedIT {
    private static final SagaType<Integer> TYPE = SagaType.named("unpromised", Integer.class);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<UUID> effects = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayGo = new CountDownLatch(1);

    private SagaEngine engine(HikariDataSource pool) {
        JdbcTransactions transactions = new JdbcTransactions(pool);
        SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .build();
        engine.register(Saga.define(TYPE)
                .step("charge")
                .action(c -> {
                    mayGo.await();
                    effects.add(c.sagaId());
                })
                .noCompensation("a test")
                .build());
        engine.start();
        return engine;
    }

    private UUID start(SagaEngine engine) {
        return engine.client()
                .start(TYPE, 1, StartOptions.businessKey("order 1"))
                .sagaId();
    }

    private static TestDatabase database(TestPostgres.Db db) {
        return new TestDatabase(db.url(), db.user(), db.password());
    }

    private static String nameOf(TestPostgres.Db db) {
        return db.url().substring(db.url().lastIndexOf('/') + 1);
    }

    @Test // F18
    void no_saga_survives_a_database_that_loses_what_it_acknowledged_and_a_second_start_repeats_the_effect()
            throws Exception {
        mayGo.countDown();
        Map<String, String> careless =
                Map.of("synchronous_commit", "off", "autovacuum", "off", "bgwriter_lru_maxpages", "0");
        try (PostgresServer server = PostgresServer.start(careless)) {
            TestDatabase database = database(server.fresh());
            UUID lost = endedBeforeCrash(server, database);
            server.start();
            try (HikariDataSource pool = database.pool();
                    SagaEngine engine = engine(pool)) {
                assertThat(engine.client().find(lost)).isEmpty();
                UUID again = start(engine);
                assertThat(engine.client().await(again, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
                assertThat(effects).containsExactly(lost, again).doesNotHaveDuplicates();
            }
        }
    }

    /** The writer would bring what was committed to the disk a moment later: the loss would be a matter of luck. */
    private UUID endedBeforeCrash(PostgresServer server, TestDatabase database) throws Exception {
        ProcessHandle walWriter;
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
            walWriter = walWriter(pool);
        }
        try {
            UUID lost;
            try (HikariDataSource pool = database.pool();
                    SagaEngine engine = engine(pool)) {
                TestDatabase.execute(pool, "checkpoint");
                assertThat(signal("STOP", walWriter)).isZero();
                lost = start(engine);
                assertThat(engine.client().await(lost, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
            }
            walWriter.destroyForcibly();
            server.crash();
            return lost;
        } finally {
            if (walWriter.isAlive()) {
                signal("CONT", walWriter);
            }
        }
    }

    private static ProcessHandle walWriter(HikariDataSource pool) {
        String pid = TestDatabase.strings(pool, "select pid from pg_stat_activity where backend_type = 'walwriter'")
                .get(0);
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    private static int signal(String name, ProcessHandle process) throws Exception {
        return new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .waitFor();
    }

    @Test
    void no_read_from_a_replica_is_current_a_saga_that_has_ended_still_runs_there() throws IOException {
        try (PostgresServer primary = PostgresServer.start(Map.of())) {
            TestPostgres.Db db = primary.fresh();
            try (HikariDataSource pool = database(db).pool()) {
                SagaSchema.migrate(pool);
            }
            try (PostgresServer standby = primary.standby();
                    HikariDataSource pool = database(db).pool();
                    HikariDataSource behind =
                            database(standby.database(nameOf(db))).pool()) {
                SagaStore replica = JdbcSagaStore.create(behind, new JdbcTransactions(behind));
                try (SagaEngine engine = engine(pool)) {
                    UUID id = start(engine);
                    await().atMost(LONG).until(() -> replica.find(id).isPresent());
                    TestDatabase.strings(behind, "select pg_wal_replay_pause()");
                    await().atMost(LONG)
                            .until(() -> TestDatabase.strings(behind, "select pg_get_wal_replay_pause_state()")
                                    .equals(List.of("paused")));
                    mayGo.countDown();
                    assertThat(engine.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);

                    assertThat(replica.find(id).orElseThrow().status()).isEqualTo(SagaStatus.RUNNING);
                }
            }
        }
    }
}
