package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the engine calls its store, and what follows when nothing takes such a call. F15, F178. */
class StoreThreadsTest extends EngineFixture {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<String> finds = new ArrayList<>();
    private int handedOver;
    private int failFrom = Integer.MAX_VALUE;
    private Runnable failing = () -> {};
    private boolean onStoreThread;
    private int findFails;

    private final Executor storeCalls = task -> {
        handedOver++;
        if (handedOver >= failFrom && handedOver < failFrom + 3) {
            failing.run();
        }
        boolean before = onStoreThread;
        onStoreThread = true;
        try {
            task.run();
        } finally {
            onStoreThread = before;
        }
    };

    private final ForwardingStore watched = new ForwardingStore(store) {
        @Override
        public Optional<InstanceRow> find(UUID sagaId) {
            finds.add(onStoreThread ? "on a thread for it" : "elsewhere");
            if (findFails > 0) {
                findFails--;
                throw new IllegalArgumentException("a driver that throws what it likes");
            }
            return super.find(sagaId);
        }
    };

    private SagaDefinition<Input> definition() {
        return define().step("one")
                .action(c -> call("one", 1))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build();
    }

    private TestNode watchedNode(List<SagaListener> listeners) {
        return new TestNode(
                        time,
                        watched,
                        memory.transactions(),
                        TestNode.tuning(),
                        listeners,
                        storeCalls,
                        define().step("one")
                                .action(c -> calls.add("one"))
                                .compensate(c -> calls.add("undo one"))
                                .build())
                .started();
    }

    @Test // F4
    void what_became_of_the_last_write_is_looked_for_where_calls_may_block_until_there_is_an_answer() {
        List<SagaStatus> told = new ArrayList<>();
        TestNode node = watchedNode(List.of(new SagaListener() {
            @Override
            public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
                told.add(saga.status());
            }
        }));
        store.next(Call.SUBMIT, Fault.APPLIED_IN_DOUBT);
        findFails = 3;
        UUID id = start(node);
        time.run(Duration.ofSeconds(9));
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(finds).hasSize(4).containsOnly("on a thread for it");
        assertThat(told).containsExactly(SagaStatus.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wherever_no_thread_takes_a_call_it_is_made_later(boolean full) {
        failing = () -> {
            if (full) {
                throw new RejectedExecutionException("full");
            }
            throw new OutOfMemoryError("unable to create native thread");
        };
        for (int from = 1; from < 40; from++) {
            handedOver = 0;
            failFrom = from;
            TestNode node = new TestNode(
                            time, store, memory.transactions(), TestNode.tuning(), List.of(), storeCalls, definition())
                    .started();
            store.next(Call.SUBMIT, Fault.LOST_IN_DOUBT);
            UUID alone = startedAtLast(node);
            end(node, alone);
            time.run(Duration.ofSeconds(10));
            store.heal();
            UUID later = joined(node);
            time.run(Duration.ofSeconds(30));
            assertThat(handedOver).as("fails from " + from).isGreaterThan(from + 3);
            assertThat(row(alone).status()).as("fails from " + from).isEqualTo(SagaStatus.COMPLETED);
            assertThat(row(later).status()).as("fails from " + from).isEqualTo(SagaStatus.COMPLETED);
            node.kill();
        }
        assertThat(calls).filteredOn("two"::equals).hasSize(2 * 39);
    }

    private UUID startedAtLast(TestNode node) {
        while (true) {
            try {
                return start(node);
            } catch (SagaException e) {
                assertThat(e.code()).isEqualTo("SAGA-DB-001");
            }
        }
    }

    private UUID joined(TestNode node) {
        try {
            return memory.transactions().inTransaction(() -> start(node));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** With threads of its own. */
    private static SagaEngine engine(SagaStore kept, Transactions transactions) {
        SagaEngine engine = SagaEngine.builder()
                .store(kept)
                .transactions(transactions)
                .tuning(Tuning.defaults().withLease(Duration.ofSeconds(10), Duration.ofMillis(50)))
                .build();
        engine.register(
                define().step("one").action(c -> {}).noCompensation("no").build());
        engine.start();
        return engine;
    }

    @Test // G20
    void recoveries_that_wait_for_locks_of_others_keep_nobody_from_claiming() throws Exception {
        InMemorySagaStore real = new InMemorySagaStore();
        Set<UUID> doomed = ConcurrentHashMap.newKeySet();
        CountDownLatch unlocked = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(2);
        SagaStore locked = new ForwardingStore(real) {
            @Override
            public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
                boolean lost = unlocked.getCount() > 0
                        && batch.stream()
                                .anyMatch(write -> doomed.contains(write.fence().sagaId()));
                if (lost) {
                    callback.done(null, new IllegalStateException("the answer is lost"));
                } else {
                    super.submit(batch, callback);
                }
            }

            @Override
            public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
                waiting.countDown();
                try {
                    unlocked.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                super.recover(held, lease, callback);
            }
        };
        try (SagaEngine engine = engine(locked, real.transactions())) {
            for (int i = 0; i < 6; i++) {
                UUID id = UUID.randomUUID();
                doomed.add(id);
                engine.client().start(TYPE, INPUT, StartOptions.none().sagaId(id));
            }
            assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();
            UUID other = real.transactions()
                    .inTransaction(() -> engine.client().start(TYPE, INPUT).sagaId());
            assertThat(engine.client().await(other, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
            unlocked.countDown();
            for (UUID id : doomed) {
                assertThat(engine.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
            }
        } finally {
            unlocked.countDown();
        }
    }

    @Test
    void purging_goes_on_when_an_executor_was_full_and_when_a_purge_has_thrown_an_error() {
        TestNode node = watchedNode(List.of());
        SagaRetention retention = SagaRetention.of(node.engine, RetentionPolicy.keep(Duration.ofDays(1)));
        retention.start();
        time.runUntil(() -> store.count(Call.PURGE) > 0);
        store.onPurge = request -> {
            store.onPurge = next -> {};
            throw new NoClassDefFoundError("of a driver");
        };
        time.run(Duration.ofHours(3));
        int before = store.count(Call.PURGE);
        assertThat(before).isGreaterThan(2);
        failing = () -> {
            failFrom++;
            throw new RejectedExecutionException("full");
        };
        failFrom = handedOver + 1;
        time.run(Duration.ofHours(3));
        failFrom = Integer.MAX_VALUE;
        time.run(Duration.ofHours(3));
        assertThat(store.count(Call.PURGE)).isGreaterThan(before);
        retention.close();
    }
}
