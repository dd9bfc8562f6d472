package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two nodes on PostgreSQL are replaced in turn, forth to a second version and back, while sagas are started. A lease lasts for an hour: what
 * a node that stops does not give back would stay. G17, G22
 */
class RollingDeployIT {
    private static final SagaType<Integer> TYPE = SagaType.named("deployed", Integer.class);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int SAGAS = 600;
    private static final int DEPLOYS = 12;

    /** What the next node knows: one lacks the old version, one has both, and then all is taken back. */
    private static final int[][] RELEASES = {{2}, {1, 2}, {1}, {1}};

    private final HikariDataSource pool = TestDatabase.postgres().pool(config -> config.setMaximumPoolSize(20));
    private final JdbcTransactions transactions = new JdbcTransactions(pool);
    private final AtomicReferenceArray<SagaEngine> nodes = new AtomicReferenceArray<>(2);
    private final Map<UUID, Integer> started = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();

    @AfterEach
    void close() {
        nodes.get(0).close();
        nodes.get(1).close();
        pool.close();
    }

    /** The second has the steps in another order, one under another name, and one less. */
    private SagaDefinition<Integer> definition(int version) {
        return version == 1
                ? Saga.define(TYPE)
                        .step("reserve")
                        .transactional()
                        .action(c -> called(c.operationKey()))
                        .compensate(c -> called(c.operationKey()))
                        .step("note")
                        .action(c -> called(c.operationKey()))
                        .noCompensation("a test")
                        .step("pay")
                        .action(c -> pay(c.operationKey(), c.input(), c.attempt()))
                        .noCompensation("a test")
                        .retry(Retry.fixed(Duration.ofMillis(100)).maxAttempts(3))
                        .build()
                : Saga.define(TYPE)
                        .version(2)
                        .step("pay")
                        .action(c -> pay(c.operationKey(), c.input(), c.attempt()))
                        .compensate(c -> called(c.operationKey()))
                        .retry(Retry.fixed(Duration.ofMillis(100)).maxAttempts(3))
                        .step("book")
                        .transactional()
                        .action(c -> called(c.operationKey()))
                        .noCompensation("a test")
                        .build();
    }

    private void pay(String key, int input, int attempt) throws Exception {
        called(key);
        if (input % 3 == 0 && attempt == 1) {
            throw new IOException("away");
        }
        if (input % 5 == 0) {
            throw new StepRejectedException("NO", "no");
        }
    }

    private void called(String key) {
        calls.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
    }

    private SagaEngine node(int... versions) {
        SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .tuning(Tuning.defaults().withLease(Duration.ofHours(1), Duration.ofMillis(20)))
                .build();
        IntStream.of(versions).mapToObj(this::definition).forEach(engine::register);
        engine.start();
        return engine;
    }

    @Test // F077
    void sagas_end_under_their_own_version_and_no_deploy_fails_repeats_or_strands_one() throws Exception {
        SagaSchema.migrate(pool);
        nodes.set(0, node(1));
        nodes.set(1, node(1));
        CompletableFuture<Void> starter = CompletableFuture.runAsync(this::startAll);

        for (int deploy = 0; deploy < DEPLOYS; deploy++) {
            int enough = SAGAS * deploy / DEPLOYS;
            await().atMost(LONG).until(() -> started.size() > enough || starter.isDone());
            nodes.get(deploy % 2).close();
            nodes.set(deploy % 2, node(RELEASES[deploy % RELEASES.length]));
        }
        starter.get(LONG.toSeconds(), TimeUnit.SECONDS);
        nodes.get(0).close();
        nodes.set(0, node(2)); // the other knows the first

        started.forEach(this::checkEnd);
        assertThat(started).hasSize(SAGAS);
        assertThat(TestDatabase.strings(
                        pool,
                        "select outcome from saga_step_history"
                                + " where outcome in ('TAKEN_OVER', 'INTERRUPTED', 'ABANDONED', 'PARKED')"))
                .isEmpty();
        assertThat(TestDatabase.strings(pool, "select saga_id from saga_instance where epoch > 1"))
                .as("were passed on to another node")
                .hasSizeGreaterThan(DEPLOYS);
        assertThat(refused).as("starts that a node refused because it stopped").hasPositiveValue();
    }

    /** A start that a node refuses is made on the other. */
    private void startAll() {
        for (int input = 0, turn = 0; input < SAGAS; turn++) {
            try {
                SagaInstance saga =
                        nodes.get(turn % 2).client().start(TYPE, input, StartOptions.businessKey("order " + input));
                started.put(saga.sagaId(), input++);
            } catch (SagaStartException e) {
                assertThat(e.code()).isIn("SAGA-START-006", "SAGA-START-012");
                refused.incrementAndGet();
            }
        }
    }

    private void checkEnd(UUID id, int input) {
        boolean rejected = input % 5 == 0;
        int version = nodes.get(0).client().await(id, LONG).version();
        SagaInstance saga = nodes.get(version == 1 ? 1 : 0).client().find(id).orElseThrow();
        assertThat(saga.status()).isEqualTo(rejected ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
        List<String> steps = saga.steps().stream().map(step -> step.name()).toList();
        assertThat(steps).isEqualTo(version == 1 ? List.of("reserve", "note", "pay") : List.of("pay", "book"));
        for (String step : steps) {
            int expected = step.equals("pay") && input % 3 == 0 ? 2 : step.equals("book") && rejected ? 0 : 1;
            AtomicInteger made = calls.getOrDefault(id + ":" + step + ":action", new AtomicInteger());
            assertThat(made).as(input + " " + step).hasValue(expected);
        }
    }
}
