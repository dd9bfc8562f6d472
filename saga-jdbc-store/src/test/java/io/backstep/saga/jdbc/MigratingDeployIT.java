package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two nodes on PostgreSQL are replaced in turn by ones that move what they take to a second version, and back, under load: a step is renamed, one
 * is removed, one is new, and two have changed places. Whatever version an instance ends in, each operation was called by one key. G17
 */
class MigratingDeployIT {
    record Order(int number) {}

    record Receipt(String text) {}

    private static final SagaType<Integer> ONE = SagaType.named("moved", Integer.class);
    private static final SagaType<Order> TWO = SagaType.named("moved", Order.class);
    private static final Step<String> PAID = Step.named("pay", String.class);
    private static final Step<Receipt> CHARGED = Step.named("charge", Receipt.class);
    private static final Retry SOON =
            Retry.fixed(Duration.ofMillis(200)).maxAttempts(50).jitter(0);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int SAGAS = 400;
    private static final int DEPLOYS = 10;

    /** Each so manieth begins a day later: at rest, and not paid, when both nodes are ones that move. */
    private static final int LATER = 16;

    private final HikariDataSource pool = TestDatabase.postgres().pool(config -> config.setMaximumPoolSize(20));
    private final JdbcTransactions transactions = new JdbcTransactions(pool);
    private final AtomicReferenceArray<SagaEngine> nodes = new AtomicReferenceArray<>(2);
    private final Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
    private final Map<UUID, Integer> started = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> effects = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> tries = new ConcurrentHashMap<>();
    private final SagaDefinition<Integer> one = one();
    private final SagaDefinition<Order> two = two();

    @AfterEach
    void close() {
        nodes.get(0).close();
        nodes.get(1).close();
        pool.close();
    }

    private SagaDefinition<Integer> one() {
        return Saga.define(ONE)
                .step(PAID)
                .action(c -> {
                    effect(c.operationKey());
                    return "paid " + c.input();
                })
                .compensate((c, text) -> undone(c.operationKey(), text.orElseThrow(), c.input()))
                .step("note")
                .action(c -> {})
                .noCompensation("a test")
                .step("send")
                .action(c -> send(c.operationKey(), c.input()))
                .compensate(c -> {})
                .retry(SOON)
                .step("bill")
                .action(c -> effect(c.operationKey()))
                .noCompensation("a test")
                .step("thank")
                .action(c -> effect(c.operationKey()))
                .noCompensation("a test")
                .build();
    }

    private SagaDefinition<Order> two() {
        return Saga.define(TWO)
                .version(2)
                .step(CHARGED)
                .action(c -> {
                    effect(c.operationKey());
                    return new Receipt("paid " + c.input().number());
                })
                .compensate((c, receipt) -> undone(
                        c.operationKey(),
                        receipt.orElseThrow().text(),
                        c.input().number()))
                .step("send")
                .action(c -> send(c.operationKey(), c.input().number()))
                .compensate(c -> {})
                .retry(SOON)
                .step("thank")
                .action(c -> effect(c.operationKey()))
                .noCompensation("a test")
                .step("weigh")
                .action(c -> effect(c.operationKey()))
                .noCompensation("a test")
                .step("bill")
                .action(c -> effect(c.operationKey()))
                .noCompensation("a test")
                .build();
    }

    private void effect(String key) {
        effects.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
    }

    private void undone(String key, String text, int number) {
        assertThat(text).isEqualTo("paid " + number);
        effect(key);
    }

    /** Is away for a while, so that sagas wait; then it says no to some. */
    private void send(String key, int number) throws IOException {
        if (tries.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet() < 6) {
            throw new IOException("away");
        }
        if (number % 5 == 0) {
            throw new StepRejectedException("NO", "no");
        }
        effect(key);
    }

    private SagaEngine node(boolean migrating) {
        SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .tuning(Tuning.defaults().withLease(Duration.ofHours(1), Duration.ofMillis(20)))
                .build();
        engine.register(one);
        if (migrating) {
            engine.register(two);
            engine.register(SagaMigration.of(one, two)
                    .input(Order::new)
                    .result(PAID, CHARGED, Receipt::new)
                    .withoutUndoing("note")
                    .build());
        }
        engine.start();
        return engine;
    }

    @Test // F099, F101
    void instances_are_moved_at_rest_and_nothing_is_lost_or_done_twice() throws Exception {
        SagaSchema.migrate(pool);
        nodes.set(0, node(false));
        nodes.set(1, node(false));
        CompletableFuture<Void> starter = CompletableFuture.runAsync(this::startAll);

        for (int deploy = 0; deploy < DEPLOYS; deploy++) {
            int enough = SAGAS * deploy / DEPLOYS;
            await().atMost(LONG).until(() -> started.size() > enough || starter.isDone());
            nodes.get(deploy % 2).close();
            nodes.set(deploy % 2, node(deploy % 4 < 2));
            if (deploy % 4 == 3) {
                endAsTheyBegan(SAGAS + deploy);
            }
        }
        starter.get(LONG.toSeconds(), TimeUnit.SECONDS);
        beginLater();
        nodes.get(0).close();
        nodes.set(0, node(true));

        Map<Integer, Integer> versions = new HashMap<>();
        started.forEach((id, number) -> versions.merge(checkEnd(id, number), 1, Integer::sum));
        assertThat(started).hasSize(SAGAS + DEPLOYS / 4);
        assertThat(TestDatabase.strings(
                        pool, "select saga_id from saga_instance where status not in ('COMPLETED', 'COMPENSATED')"))
                .isEmpty();
        assertThat(TestDatabase.strings(pool, "select saga_id from saga_step_history where outcome = 'MIGRATED'"))
                .as("each saga is moved once at most")
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(DEPLOYS);
        assertThat(versions).containsKeys(1, 2);
        assertThat(effects.keySet()).as("moved before it had paid").anyMatch(key -> key.endsWith(":charge:action"));
    }

    /** While no node moves what it takes. */
    private void endAsTheyBegan(int number) {
        SagaInstance saga =
                nodes.get(0).client().start(ONE, number, StartOptions.none().version(1));
        started.put(saga.sagaId(), number);
        assertThat(nodes.get(0).client().await(saga.sagaId(), LONG).version()).isEqualTo(1);
    }

    /** As if the day had passed: a saga's times count from its creation. */
    private void beginLater() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            int woken = statement.executeUpdate("update saga_instance"
                    + " set due_at = clock_timestamp(), created_at = created_at - interval '1 day'"
                    + " where due_at > clock_timestamp() + interval '2 hours'");
            assertThat(woken).isEqualTo(SAGAS / LATER);
        }
    }

    private void startAll() {
        for (int number = 0, turn = 0; number < SAGAS; turn++) {
            try {
                StartOptions options = StartOptions.none().version(1);
                SagaInstance saga = nodes.get(turn % 2)
                        .client()
                        .start(ONE, number, number % LATER == 0 ? options.startAt(tomorrow) : options);
                started.put(saga.sagaId(), number++);
            } catch (SagaStartException e) {
                assertThat(e.code()).isIn("SAGA-START-006", "SAGA-START-012");
            }
        }
    }

    private int checkEnd(UUID id, int number) {
        SagaInstance saga = nodes.get(0).client().await(id, LONG);
        boolean rejected = number % 5 == 0;
        assertThat(saga.status()).isEqualTo(rejected ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
        assertThat(made(id, "pay", "action") + made(id, "charge", "action"))
                .as("paid once")
                .isEqualTo(1);
        for (String step : List.of("pay", "charge")) {
            assertThat(made(id, step, "compensation"))
                    .as("undone by the key that it was done by")
                    .isEqualTo(rejected ? made(id, step, "action") : 0);
        }
        for (String step : List.of("send", "bill", "thank")) {
            assertThat(made(id, step, "action")).as(number + " " + step).isEqualTo(rejected ? 0 : 1);
        }
        assertThat(made(id, "weigh", "action")).isEqualTo(saga.version() == 2 && !rejected ? 1 : 0);
        return saga.version();
    }

    private int made(UUID id, String step, String phase) {
        return effects.getOrDefault(id + ":" + step + ":" + phase, new AtomicInteger())
                .get();
    }
}
