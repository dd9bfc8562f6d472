package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The engine with threads and clocks of its own. */
class RealThreadsTest {
    private static final SagaType<Integer> TYPE = SagaType.named("real", Integer.class);
    private static final Step<Integer> NUMBER = Step.named("number", Integer.class);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final InMemorySagaStore store = new InMemorySagaStore();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

    private SagaDefinition<Integer> definition() {
        return Saga.define(TYPE)
                .step(NUMBER)
                .action(c -> {
                    called(c.operationKey());
                    return c.input() * 2;
                })
                .compensate((c, number) -> called(c.operationKey()))
                .step("transactional")
                .transactional()
                .action(c -> called(c.operationKey()))
                .compensate(c -> called(c.operationKey()))
                .step("odd")
                .action(c -> {
                    called(c.operationKey());
                    if (c.attempt() == 1 && c.input() % 5 == 0) {
                        throw new IOException("away");
                    }
                    if (c.input() % 2 == 1) {
                        throw new StepRejectedException("ODD", "an odd number");
                    }
                })
                .compensate(c -> called(c.operationKey()))
                .retry(Retry.fixed(Duration.ofMillis(10)).maxAttempts(3))
                .build();
    }

    private int called(String key) {
        return calls.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
    }

    private SagaEngine engine(SagaDefinition<?>... known) {
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .tuning(Tuning.defaults().withLease(Duration.ofSeconds(10), Duration.ofMillis(50)))
                .definitions(known)
                .build();
        engine.start();
        return engine;
    }

    @Test // F077
    void a_start_that_is_under_way_when_its_node_stops_is_given_back() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch stopping = new CountDownLatch(1);
        SagaStore slow = new ForwardingStore(store) {
            @Override
            public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
                entered.countDown();
                awaitQuietly(stopping);
                super.insert(batch, callback);
            }
        };
        SagaEngine engine = SagaEngine.builder()
                .store(slow)
                .transactions(store.transactions())
                .tuning(Tuning.defaults().withLease(Duration.ofHours(1), Duration.ofMillis(50)))
                .build();
        engine.register(definition());
        engine.start();
        CompletableFuture<UUID> started = CompletableFuture.supplyAsync(
                () -> engine.client().start(TYPE, 2).sagaId());
        assertThat(entered.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(engine::close);
        while (engine.status().running()) {
            Thread.onSpinWait();
        }
        stopping.countDown();

        UUID id = started.get(LONG.toSeconds(), TimeUnit.SECONDS);
        closed.get(LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(store.find(id).orElseThrow().owner()).isNull();
        try (SagaEngine next = engine(definition())) {
            assertThat(next.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        }
    }

    @Test
    void many_threads_start_sagas_on_two_nodes_and_all_end() throws Exception {
        ExecutorService starters = Executors.newFixedThreadPool(8);
        try (SagaEngine one = engine(definition());
                SagaEngine two = engine(definition())) {
            List<Future<UUID>> started = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                int input = i;
                SagaEngine engine = i % 2 == 0 ? one : two;
                Callable<UUID> start = () -> engine.client().start(TYPE, input).sagaId();
                started.add(
                        starters.submit(i % 3 == 0 ? () -> store.transactions().inTransaction(start) : start));
            }
            for (int i = 0; i < started.size(); i++) {
                UUID id = started.get(i).get();
                SagaInstance saga = (i % 4 < 2 ? one : two).client().await(id, LONG);
                assertThat(saga.status()).isEqualTo(i % 2 == 0 ? SagaStatus.COMPLETED : SagaStatus.COMPENSATED);
                assertThat(saga.result(NUMBER)).contains(2 * i);
                assertThat(calls.get(id + ":number:action")).hasValue(1);
                assertThat(calls.get(id + ":transactional:action")).hasValue(1);
                assertThat(calls.get(id + ":odd:action")).hasValue(i % 5 == 0 ? 2 : 1);
                if (i % 2 == 1) {
                    assertThat(calls.get(id + ":number:compensation")).hasValue(1);
                    assertThat(calls.get(id + ":transactional:compensation")).hasValue(1);
                }
            }
        } finally {
            starters.shutdown();
        }
    }

    @Test
    void fifty_threads_on_two_nodes_start_one_saga_for_one_key() throws Exception { // F011
        ExecutorService starters = Executors.newFixedThreadPool(50);
        try (SagaEngine one = engine(definition());
                SagaEngine two = engine(definition())) {
            CountDownLatch go = new CountDownLatch(1);
            List<Future<UUID>> started = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                SagaEngine engine = i % 2 == 0 ? one : two;
                started.add(starters.submit(() -> {
                    go.await();
                    return engine.client()
                            .start(TYPE, 2, StartOptions.businessKey("the one"))
                            .sagaId();
                }));
            }
            go.countDown();
            Set<UUID> ids = ConcurrentHashMap.newKeySet();
            for (Future<UUID> start : started) {
                ids.add(start.get());
            }
            assertThat(ids).hasSize(1);
            UUID id = ids.iterator().next();
            assertThat(one.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(calls.get(id + ":number:action")).hasValue(1);
        } finally {
            starters.shutdown();
        }
    }

    @Test
    void awaiting_a_saga_wakes_when_it_ends_and_gives_up_when_the_time_is_up() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (SagaEngine engine = engine(Saga.define(TYPE)
                .step("waits")
                .action(c -> goOn.await())
                .noCompensation("nothing")
                .build())) {
            UUID id = engine.client().start(TYPE, 1).sagaId();
            SagaInstance still = engine.client().await(id, Duration.ofMillis(100));
            assertThat(still.status()).isEqualTo(SagaStatus.RUNNING);
            assertThat(still.ended()).isFalse();
            goOn.countDown();
            assertThat(engine.client()
                            .await(id, ChronoUnit.FOREVER.getDuration())
                            .status())
                    .isEqualTo(SagaStatus.COMPLETED);
        }
    }

    @Test
    void no_more_calls_run_at_once_than_there_are_workers() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .tuning(Tuning.defaults().withWorkerThreads(3))
                .build();
        engine.register(Saga.define(TYPE)
                .step("counts")
                .action(c -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.yield();
                    running.decrementAndGet();
                })
                .noCompensation("nothing")
                .build());
        engine.start();
        try (engine) {
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                ids.add(engine.client().start(TYPE, i).sagaId());
            }
            ids.forEach(
                    id -> assertThat(engine.client().await(id, LONG).ended()).isTrue());
            assertThat(most.get()).isBetween(1, 3);
        }
    }

    @Test
    void an_executor_that_rejects_now_and_then_loses_no_saga_and_no_worker() { // F178
        ExecutorService threads = Executors.newFixedThreadPool(2);
        AtomicInteger handed = new AtomicInteger();
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .tuning(Tuning.defaults().withWorkerThreads(2).withLease(Duration.ofMillis(300), Duration.ofMillis(20)))
                .executor(next -> {
                    if (handed.incrementAndGet() % 5 == 0) {
                        throw new RejectedExecutionException("full");
                    }
                    threads.execute(next);
                })
                .build();
        engine.register(definition());
        engine.start();
        try (engine) {
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(engine.client().start(TYPE, 2).sagaId());
            }
            ids.forEach(
                    id -> assertThat(engine.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED));
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void a_store_executor_that_rejects_now_and_then_stops_no_node() throws Exception { // F178
        ExecutorService threads = Executors.newFixedThreadPool(2);
        AtomicInteger handed = new AtomicInteger();
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .tuning(Tuning.defaults().withLease(Duration.ofMillis(300), Duration.ofMillis(20)))
                .storeExecutor(next -> {
                    if (handed.incrementAndGet() % 3 == 0) {
                        throw new RejectedExecutionException("full");
                    }
                    threads.execute(next);
                })
                .build();
        engine.register(definition());
        engine.start();
        try (engine) {
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(store.transactions()
                        .inTransaction(() -> engine.client().start(TYPE, 2).sagaId()));
            }
            ids.forEach(
                    id -> assertThat(engine.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED));
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void a_start_in_doubt_does_not_wait_for_ever_when_the_engine_is_closed() throws Exception {
        FaultyStore faulty = new FaultyStore(store);
        faulty.next(FaultyStore.Call.INSERT, FaultyStore.Fault.LOST_IN_DOUBT);
        SagaEngine engine = SagaEngine.builder()
                .store(faulty)
                .transactions(store.transactions())
                .timer((delay, later) -> () -> {})
                .build();
        engine.register(definition());
        engine.start();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread starter = new Thread(() -> {
            try {
                engine.client().start(TYPE, 2);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        starter.setDaemon(true);
        starter.start();
        while (!faulty.exhausted() || starter.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        engine.close();
        starter.join(LONG.toMillis());
        assertThat(failure.get()).isInstanceOf(SagaStartException.class).hasMessageContaining("SAGA-START-012");
    }

    @Test
    void what_a_claim_under_way_takes_while_the_engine_is_closed_is_released() throws Exception { // F077, F076
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        SagaEngine engine = SagaEngine.builder()
                .store(claimsSlowly(taken, go))
                .transactions(store.transactions())
                .tuning(Tuning.defaults().withLease(Duration.ofSeconds(10), Duration.ofHours(1)))
                .build();
        engine.register(definition());
        engine.start();
        UUID id = store.transactions()
                .inTransaction(() -> engine.client().start(TYPE, 2).sagaId());
        assertThat(taken.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(engine::close);
        while (engine.status().running()) {
            Thread.onSpinWait();
        }

        assertThat(closed).isNotDone();
        assertThat(store.find(id).orElseThrow().owner()).isNotNull();
        go.countDown();
        closed.get(20, TimeUnit.SECONDS);

        assertThat(store.find(id).orElseThrow().owner()).isNull();
    }

    /** Has taken the saga, and answers late. */
    private SagaStore claimsSlowly(CountDownLatch taken, CountDownLatch go) {
        return (SagaStore) Proxy.newProxyInstance(
                SagaStore.class.getClassLoader(), new Class<?>[] {SagaStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("claim")) { // the first look must not take it
                        ((StoreCallback<?>) arguments[1]).done(null, new IllegalStateException("not now"));
                        return null;
                    }
                    if (method.getName().equals("claimOne")) {
                        int last = arguments.length - 1;
                        StoreCallback<Optional<Claimed>> callback = callback(arguments[last]);
                        arguments[last] = (StoreCallback<Optional<Claimed>>) (claimed, failure) -> {
                            taken.countDown();
                            awaitQuietly(go);
                            callback.done(claimed, failure);
                        };
                    }
                    return method.invoke(store, arguments);
                });
    }

    @SuppressWarnings("unchecked")
    private static StoreCallback<Optional<Claimed>> callback(Object argument) {
        return (StoreCallback<Optional<Claimed>>) argument;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
