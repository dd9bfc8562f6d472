package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.SagaStoreException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An engine on a database that is harmed. Its sagas wait in a remote step until they are let go; then a transactional one counts. */
abstract class OutageFixture {
    static final SagaType<Integer> TYPE = SagaType.named("outage", Integer.class);
    static final Duration LONG = Duration.ofMinutes(1);
    static final String NODE = "harmed";
    static final int SAGAS = 30;

    final AtomicInteger remote = new AtomicInteger();
    TestDatabase database;
    HikariDataSource pool;
    JdbcTransactions transactions;
    SagaEngine engine;
    CountDownLatch open;

    abstract TestDatabase database() throws Exception;

    @BeforeEach
    void begin() throws Exception {
        open = new CountDownLatch(1);
        remote.set(0);
        database = database();
    }

    @AfterEach
    void close() {
        open.countDown();
        if (engine != null) {
            engine.close();
            pool.close();
        }
    }

    void start(long connectionTimeout) {
        start(connectionTimeout, config -> config.setMaximumPoolSize(8));
    }

    void start(long connectionTimeout, Consumer<HikariConfig> settings) {
        pool = database.pool(config -> {
            config.setConnectionTimeout(connectionTimeout);
            settings.accept(config);
        });
        try (HikariDataSource own = database.pool()) {
            SagaSchema.migrate(own);
        }
        TestDatabase.execute(pool, "create table effect (saga_id uuid)");
        transactions = new JdbcTransactions(pool);
        engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .tuning(Tuning.defaults().withNodeId(NODE).withLease(Duration.ofSeconds(3), Duration.ofMillis(200)))
                .build();
        engine.register(definition());
        engine.start();
    }

    private SagaDefinition<Integer> definition() {
        return Saga.define(TYPE)
                .step("remote")
                .action(c -> {
                    remote.incrementAndGet();
                    open.await();
                })
                .noCompensation("a test")
                .step("local")
                .transactional()
                .action(c ->
                        TestDatabase.execute(transactions.connection(), "insert into effect values (?)", c.sagaId()))
                .noCompensation("a test")
                .retry(Retry.fixed(Duration.ofMillis(200)).maxAttempts(3))
                .build();
    }

    List<UUID> sagas() {
        SagaClient client = engine.client();
        return Stream.generate(() -> client.start(TYPE, 1).sagaId())
                .limit(SAGAS)
                .toList();
    }

    /** Every saga that was acknowledged is there; every saga that is there has ended, with its effect once. */
    void allEnd(List<UUID> ids) {
        await().atMost(LONG)
                .ignoreExceptions()
                .until(() -> ids.stream()
                                .allMatch(id ->
                                        engine.client().find(id).orElseThrow().status() == SagaStatus.COMPLETED)
                        && TestDatabase.strings(pool, "select saga_id from saga_instance where status <> 'COMPLETED'")
                                .isEmpty());
        assertThat(TestDatabase.strings(pool, "select saga_id from effect"))
                .containsAll(ids.stream().map(UUID::toString).toList())
                .containsExactlyInAnyOrderElementsOf(TestDatabase.strings(pool, "select saga_id from saga_instance"));
        await().atMost(LONG).until(() -> engine.status().storeReachable());
    }

    SagaStoreException startInVain() {
        return catchThrowableOfType(
                SagaStoreException.class, () -> engine.client().start(TYPE, 1));
    }
}
