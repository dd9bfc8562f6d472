package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.VoidAction;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.TransactionalWork;
import io.backstep.saga.time.SystemPorts;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that stop while something is under way, on threads of their own. Leases last for an hour: what is kept is seen. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoppingNodeTest {
    private static final SagaType<Integer> TYPE = SagaType.named("stopping", Integer.class);
    private static final Tuning TUNING = Tuning.defaults().withLease(Duration.ofHours(1), Duration.ofHours(1));

    private final InMemorySagaStore store = new InMemorySagaStore();
    private final List<Integer> called = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch storing = new CountDownLatch(1);
    private final CountDownLatch mayStore = new CountDownLatch(1);
    private final CountDownLatch mayRecover = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** One at each wait of the node for something that is not there yet. */
    private final Queue<Runnable> whenItWaits = new ConcurrentLinkedQueue<>();

    private final Waits waits = new Waits() {
        private final Waits real = SystemPorts.waits();

        @Override
        public boolean on(CompletableFuture<?> signal, Duration atMost) {
            if (!signal.isDone() && !whenItWaits.isEmpty()) {
                whenItWaits.remove().run();
            }
            return real.on(signal, atMost);
        }

        @Override
        public void until(CompletableFuture<?> signal) {
            real.until(signal);
        }
    };

    private SagaEngine engine(SagaStore on, Tuning tuning, SagaDefinition<?> definition) {
        return started(builder(on, tuning), definition);
    }

    private SagaEngineBuilder builder(SagaStore on, Tuning tuning) {
        return SagaEngine.builder()
                .store(on)
                .transactions(store.transactions())
                .tuning(tuning)
                .waits(waits);
    }

    private static SagaEngine started(SagaEngineBuilder builder, SagaDefinition<?> definition) {
        SagaEngine engine = builder.build();
        engine.register(definition);
        engine.start();
        return engine;
    }

    private static SagaDefinition<Integer> definition(boolean transactional, VoidAction<Integer> action) {
        var step = Saga.define(TYPE).step("one");
        return (transactional ? step.transactional() : step)
                .action(action)
                .compensate(c -> {})
                .retry(Retry.none())
                .build();
    }

    private SagaDefinition<Integer> two(boolean transactional, VoidAction<Integer> first) {
        var step = Saga.define(TYPE).step("one");
        return (transactional ? step.transactional() : step)
                .action(first)
                .compensate(c -> {})
                .step("two")
                .action(c -> called.add(2))
                .compensate(c -> {})
                .build();
    }

    private static CompletableFuture<UUID> startedBy(SagaEngine engine, int input) {
        return CompletableFuture.supplyAsync(
                () -> engine.client().start(TYPE, input).sagaId());
    }

    private InstanceRow row(UUID id) {
        return store.find(id).orElseThrow();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for what it has been given so far. */
    private static void idle(ExecutorService worker) {
        CompletableFuture.runAsync(() -> {}, worker).join();
    }

    @Test // F077
    void a_start_in_doubt_that_turns_out_to_be_applied_is_given_back() throws Exception {
        SagaStore doubtful = new ForwardingStore(store) {
            @Override
            public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
                if (calls.incrementAndGet() == 1) {
                    super.insert(batch, (answers, failure) -> callback.done(null, FaultyStore.failure(Effect.UNKNOWN)));
                    return;
                }
                storing.countDown();
                await(mayStore);
                super.insert(batch, callback);
            }

            @Override
            public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
                await(mayRecover);
                super.recover(held, lease, callback);
            }
        };
        SagaEngine engine = engine(doubtful, TUNING, definition(false, c -> called.add(c.input())));
        whenItWaits.addAll(List.of(mayStore::countDown, mayRecover::countDown));
        CompletableFuture<UUID> started = startedBy(engine, 1);
        await(storing);

        engine.close();

        assertThat(row(started.get(20, TimeUnit.SECONDS)).owner()).isNull();
        assertThat(called).isEmpty();
    }

    @Test // F077
    void what_is_queued_does_not_begin_while_the_node_waits_for_a_start() throws Exception {
        SagaStore slow = new ForwardingStore(store) {
            @Override
            public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
                if (calls.incrementAndGet() == 3) {
                    storing.countDown();
                    await(mayStore);
                }
                super.insert(batch, callback);
            }
        };
        ExecutorService worker = Executors.newSingleThreadExecutor();
        SagaEngineBuilder builder = builder(slow, TUNING.withWorkerThreads(1)).executor(worker);
        SagaEngine engine = started(builder, definition(false, c -> {
            called.add(c.input());
            if (c.input() == 1) {
                running.countDown();
                mayEnd.await();
            }
        }));
        UUID first = engine.client().start(TYPE, 1).sagaId();
        await(running);
        UUID queued = engine.client().start(TYPE, 2).sagaId();
        CompletableFuture<UUID> started = startedBy(engine, 3);
        await(storing);
        whenItWaits.add(() -> {
            mayEnd.countDown();
            idle(worker); // the first has ended
            idle(worker); // and so has whatever its end has begun
            mayStore.countDown();
        });

        engine.close();
        worker.shutdown();

        assertThat(called).containsExactly(1);
        assertThat(row(first).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(queued).owner()).isNull();
        assertThat(row(started.get(20, TimeUnit.SECONDS)).owner()).isNull();
    }

    @ParameterizedTest // F077
    @ValueSource(booleans = {false, true})
    void a_step_whose_intent_is_being_written_when_the_node_stops_is_not_called(boolean transactional)
            throws Exception {
        SagaStore slow = new ForwardingStore(store) {
            @Override
            public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
                super.submit(batch, (answers, failure) -> answerLate(callback, answers, failure));
            }

            @Override
            public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
                super.inTransaction(work, (answer, failure) -> answerLate(callback, answer, failure));
            }

            private <T> void answerLate(StoreCallback<T> callback, @Nullable T answer, @Nullable Throwable failure) {
                storing.countDown();
                await(mayStore);
                callback.done(answer, failure);
            }
        };
        SagaEngine engine = engine(slow, TUNING, two(transactional, c -> called.add(1)));
        UUID id = engine.client().start(TYPE, 1).sagaId();
        await(storing);
        whenItWaits.add(mayStore::countDown);

        engine.close();

        assertThat(called).containsExactly(1);
        assertThat(row(id).status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(row(id).owner()).isNull();
    }

    @ParameterizedTest // F077
    @ValueSource(booleans = {false, true})
    void a_saga_whose_release_was_in_doubt_and_is_taken_back_is_released_again(boolean transactional) throws Exception {
        SagaStore doubtful = new ForwardingStore(store) {
            @Override
            public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
                super.submit(batch, lost(callback));
            }

            @Override
            public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
                super.inTransaction(work, lost(callback));
            }

            /** The first answer is lost. */
            private <T> StoreCallback<T> lost(StoreCallback<T> callback) {
                return calls.incrementAndGet() > 1
                        ? callback
                        : (answer, failure) -> callback.done(null, FaultyStore.failure(Effect.UNKNOWN));
            }
        };
        SagaEngine engine = engine(doubtful, TUNING, two(transactional, c -> {
            running.countDown();
            mayEnd.await();
        }));
        UUID id = engine.client().start(TYPE, 1).sagaId();
        await(running);
        whenItWaits.add(mayEnd::countDown);

        engine.close();

        assertThat(called).isEmpty();
        assertThat(store.history(id)).hasSize(1);
        assertThat(row(id).owner()).isNull();
    }

    @ParameterizedTest // F025
    @ValueSource(booleans = {false, true})
    void a_step_whose_own_start_is_refused_because_its_node_stops_spends_no_attempt(boolean transactional)
            throws Exception {
        CompletableFuture<SagaEngine> mine = new CompletableFuture<>();
        SagaDefinition<Integer> definition = definition(transactional, c -> {
            if (c.input() == 1) {
                running.countDown();
                mayEnd.await();
                mine.join().client().start(TYPE, 2);
            }
        });
        SagaEngine engine = engine(store, TUNING, definition);
        mine.complete(engine);
        UUID id = engine.client().start(TYPE, 1).sagaId();
        await(running);
        whenItWaits.add(mayEnd::countDown);

        engine.close();

        assertThat(store.history(id))
                .extracting(line -> line.entry().outcome().name())
                .containsExactly("INTERRUPTED");
        assertThat(row(id).status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(row(id).owner()).isNull();
    }
}
