package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InstanceRow;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Among sagas that were left by a node that stopped are bad ones of every kind; the others end all the same. G20 */
class OneBadSagaTest {
    private static final SagaType<Integer> GOOD = SagaType.named("good", Integer.class);
    private static final SagaType<Integer> HANGS = SagaType.named("hangs", Integer.class);
    private static final SagaType<Integer> THROWS = SagaType.named("throws", Integer.class);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final InMemorySagaStore store = new InMemorySagaStore();
    private final CountDownLatch never = new CountDownLatch(1);
    private final CountDownLatch hanging = new CountDownLatch(1);

    private SagaDefinition<?>[] definitions() {
        return new SagaDefinition<?>[] {
            Saga.define(GOOD)
                    .step("one")
                    .action(c -> {})
                    .compensate(c -> {})
                    .step("two")
                    .transactional()
                    .action(c -> {})
                    .noCompensation("a test")
                    .build(),
            Saga.define(HANGS)
                    .step("one")
                    .action(c -> {
                        hanging.countDown();
                        never.await();
                    })
                    .noCompensation("a test")
                    .build(),
            Saga.define(THROWS)
                    .step("one")
                    .action(c -> {
                        throw new StackOverflowError();
                    })
                    .noCompensation("a test")
                    .retry(Retry.fixed(Duration.ofMillis(1)).maxAttempts(3))
                    .build()
        };
    }

    private SagaEngine node(boolean works) {
        SagaEngineBuilder builder = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .tuning(Tuning.defaults()
                        .withWorkerThreads(4)
                        .withLease(Duration.ofSeconds(10), Duration.ofMillis(20))
                        .withPatience(Duration.ZERO, Duration.ofSeconds(60)));
        SagaEngine engine = (works ? builder : builder.executor(never -> {})).build();
        Stream.of(definitions()).forEach(engine::register);
        engine.start();
        return engine;
    }

    private static List<UUID> start(int count, Supplier<SagaInstance> start) {
        return IntStream.range(0, count).mapToObj(any -> start.get().sagaId()).toList();
    }

    @Test
    void the_others_end_whatever_some_are_like() throws Exception {
        List<UUID> good;
        List<UUID> unreadable;
        UUID hangs;
        UUID throwing;
        try (SagaEngine left = node(false)) {
            SagaClient client = left.client();
            unreadable = start(2, () -> client.start(GOOD, 1));
            hangs = client.start(HANGS, 1).sagaId();
            throwing = client.start(THROWS, 1).sagaId();
            good = start(200, () -> client.start(GOOD, 1));
        }
        unreadable.forEach(id -> store.edit(id, OneBadSagaTest::damaged));

        try (SagaEngine engine = node(true)) {
            SagaClient client = engine.client();
            assertThat(good)
                    .allSatisfy(
                            id -> assertThat(client.await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED));
            assertThat(unreadable)
                    .allSatisfy(
                            id -> assertThat(client.await(id, LONG).reason()).isEqualTo(SagaReason.UNREADABLE));
            assertThat(client.await(throwing, LONG).status()).isEqualTo(SagaStatus.COMPENSATED);
            assertThat(hanging.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(client.find(hangs).orElseThrow().status()).isEqualTo(SagaStatus.RUNNING);
        } finally {
            never.countDown();
        }
    }

    private static InstanceRow damaged(InstanceRow row) {
        return UnreadableTest.with(row, "{not json", row.input(), row.format());
    }
}
