package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node does when it is closed. */
class ShutdownTest extends EngineFixture {
    private static final Tuning AT_ONCE = TestNode.tuning().withPatience(Duration.ZERO, Duration.ofSeconds(60));

    private SagaDefinition<Input> two() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build();
    }

    @Test
    void queued_attempts_are_withdrawn_and_due_at_once() { // F077
        TestNode node = node(AT_ONCE, two());
        UUID id = start(node);
        UUID other = start(node);
        node.engine.close();
        assertThat(calls).isEmpty();
        assertThat(row(id).owner()).isNull();
        assertThat(row(id).dueAt()).isEqualTo(time.now());
        assertThat(row(other).owner()).isNull();
        assertThat(node.engine.status().held()).isZero();
        TestNode next = node(two());
        assertThat(end(next, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(2));
        assertThat(history(id)).containsExactly("one ACTION 1 SUCCEEDED", "two ACTION 1 SUCCEEDED", " SAGA 0 ENDED");
    }

    @Test
    void a_withdrawn_attempt_does_not_wait_for_the_deadline() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .deadline(Duration.ofMinutes(10))
                .build();
        TestNode node = node(AT_ONCE, definition);
        UUID id = start(node);
        node.engine.close();
        assertThat(row(id).dueAt()).isEqualTo(time.now());
        assertThat(end(node(definition), id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void queued_transactional_attempts_are_withdrawn_too() {
        SagaDefinition<Input> definition = define().step("one")
                .transactional()
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .build();
        TestNode node = node(AT_ONCE, definition);
        UUID id = start(node);
        node.engine.close();
        assertThat(row(id).dueAt()).isEqualTo(time.now());
        assertThat(end(node(definition), id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one");
    }

    @Test
    void a_running_attempt_ends_and_is_recorded_and_nothing_new_begins() { // F005, F076
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    calls.add("one");
                    if (calls.size() == 1) {
                        node[0].engine.close();
                        calls.add("closed");
                    }
                })
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build();
        node[0] = node(AT_ONCE, definition);
        UUID id = start(node[0]);
        time.runUntil(() -> calls.contains("closed"));
        assertThat(Thread.interrupted()).as("cleared by the end of the attempt").isFalse();
        assertThat(history(id)).containsExactly("one ACTION 1 SUCCEEDED");
        assertThat(row(id).owner()).isNull();
        assertThat(row(id).dueAt()).isEqualTo(time.now());
        assertThat(end(node(two()), id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "closed", "two");
    }

    @Test
    void the_lease_is_renewed_as_long_as_it_waits_for_a_running_attempt() { // G22
        SagaEngine[] closing = new SagaEngine[1];
        SagaDefinition<Input> definition = define().step("long")
                .action(c -> {
                    calls.add("epoch " + c.epoch());
                    if (calls.size() == 1) {
                        closing[0].close();
                    }
                })
                .compensate(c -> calls.add("undo long"))
                .timeout(Duration.ofMinutes(5))
                .build();
        closing[0] = waitingOnVirtualTime(Duration.ofMinutes(1));
        closing[0].register(definition);
        closing[0].start();
        node(definition);
        UUID id = closing[0].client().start(TYPE, INPUT).sagaId();

        time.runUntil(() -> settled(id));

        assertThat(Thread.interrupted()).as("cleared by the end of the attempt").isFalse();
        assertThat(time.elapsed()).as("six leases").isGreaterThan(Duration.ofMinutes(1));
        assertThat(calls).containsExactly("epoch 1");
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    private SagaEngine waitingOnVirtualTime(Duration grace) {
        Waits waits = new Waits() {
            @Override
            public boolean on(CompletableFuture<?> signal, Duration atMost) {
                if (!signal.isDone()) {
                    time.run(atMost);
                }
                return true;
            }

            @Override
            public void until(CompletableFuture<?> signal) {
                time.runUntil(signal::isDone);
            }
        };
        return SagaEngine.builder()
                .store(store)
                .transactions(memory.transactions())
                .tuning(TestNode.tuning().withPatience(grace, Duration.ofMinutes(1)))
                .executor(time.executor(() -> true))
                .storeExecutor(Runnable::run)
                .timer(time.timer(() -> true))
                .clock(time.clock())
                .waits(waits)
                .build();
    }

    @Test
    void five_shutdowns_leave_a_compensation_all_its_attempts() { // F025
        List<TestNode> nodes = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> {
                    calls.add("undo " + c.attempt());
                    if (c.attempt() <= 5) {
                        nodes.get(nodes.size() - 1).engine.close();
                        throw new IllegalStateException("closed by the interrupt");
                    }
                    call("undo", 2);
                })
                .compensationRetry(Retry.fixed(Duration.ofMillis(100)).maxAttempts(3))
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
        nodes.add(node(AT_ONCE, definition));
        UUID id = start(nodes.get(0));
        for (int i = 1; i <= 5; i++) {
            int attempt = i;
            time.runUntil(() -> calls.contains("undo " + attempt));
            nodes.add(node(AT_ONCE, definition));
        }
        assertThat(end(nodes.get(5), id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(history(id))
                .filteredOn(line -> line.startsWith("one COMPENSATION"))
                .extracting(line -> line.substring(line.lastIndexOf(' ') + 1))
                .containsExactly(
                        "INTERRUPTED",
                        "INTERRUPTED",
                        "INTERRUPTED",
                        "INTERRUPTED",
                        "INTERRUPTED",
                        "FAILED",
                        "FAILED",
                        "SUCCEEDED");
    }

    @Test
    void an_interrupted_attempt_spends_no_attempt() { // F025
        List<TestNode> nodes = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    calls.add("one " + c.attempt());
                    if (c.attempt() <= 5) {
                        nodes.get(nodes.size() - 1).engine.close();
                        throw new InterruptedException();
                    }
                    call("one", 1);
                })
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.fixed(Duration.ofMillis(100)).maxAttempts(2))
                .build();
        nodes.add(node(AT_ONCE, definition));
        UUID id = start(nodes.get(0));
        for (int i = 1; i <= 5; i++) {
            int attempt = i;
            time.runUntil(() -> calls.contains("one " + attempt));
            nodes.add(node(AT_ONCE, definition));
        }
        SagaInstance saga = end(nodes.get(5), id);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id)).filteredOn(line -> line.endsWith("INTERRUPTED")).hasSize(5);
        assertThat(history(id)).contains("one ACTION 6 FAILED", "one ACTION 7 SUCCEEDED");
    }

    @Test
    void a_waiting_retry_is_given_back_and_not_earlier_than_it_is_due() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> call("one", 1))
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.fixed(Duration.ofSeconds(8)).maxAttempts(2))
                .build();
        TestNode node = node(AT_ONCE, definition);
        UUID id = start(node);
        time.run(Duration.ofSeconds(3));
        node.engine.close();
        assertThat(row(id).owner()).isNull();
        assertThat(row(id).dueAt()).isEqualTo(time.now().plus(Duration.ofSeconds(5)));
        end(node(definition), id);
        assertThat(time.elapsed()).isBetween(Duration.ofSeconds(8), Duration.ofMillis(9_500));
    }

    @Test
    void an_engine_that_is_closed_while_its_definitions_are_made_known_does_not_run_afterwards() {
        AtomicReference<TestNode> starting = new AtomicReference<>();
        SagaStore slow = new ForwardingStore(store) {
            @Override
            public RegisteredDefinition register(String name, int version, String fingerprint) {
                starting.get().engine.close();
                return super.register(name, version, fingerprint);
            }
        };
        starting.set(new TestNode(time, slow, memory.transactions(), AT_ONCE, two()));

        assertThatThrownBy(() -> starting.get().started()).hasMessage("the engine is CLOSED");
        assertThat(starting.get().engine.status().running()).isFalse();
    }

    @Test
    void a_start_is_refused_before_the_engine_runs_and_after_it_is_closed() {
        TestNode node = new TestNode(time, store, memory.transactions(), AT_ONCE, two());
        assertThatThrownBy(() -> start(node))
                .isInstanceOf(SagaStartException.class)
                .hasMessageContaining("SAGA-START-006");
        node.started();
        node.engine.close();
        node.engine.close();
        assertThatThrownBy(() -> start(node))
                .isInstanceOf(SagaStartException.class)
                .hasMessageContaining("SAGA-START-006");
        assertThatThrownBy(node.engine::start).isInstanceOf(IllegalStateException.class);
    }

    /** Closes the engine while it is written as an input: between the look at the engine and the insert. */
    record Closing(String text) {
        private static volatile Runnable close = () -> {};

        @Override
        public String text() {
            close.run();
            return text;
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // it would wait for ever
    void a_start_that_comes_after_the_end_of_the_engine_is_told_so() {
        SagaType<Closing> type = SagaType.named("closing", Closing.class);
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(memory.transactions())
                .tuning(AT_ONCE)
                .build();
        engine.register(Saga.define(type)
                .step("one")
                .action(c -> calls.add("one"))
                .noCompensation("nothing")
                .build());
        engine.start();
        store.next(Call.INSERT, Fault.REFUSED_CONNECTION);
        assertThatThrownBy(() -> engine.client().start(type, new Closing("a"))).hasMessageContaining("SAGA-DB-001");
        Closing.close = engine::close;
        assertThatThrownBy(() -> engine.client().start(type, new Closing("b")))
                .isInstanceOf(SagaStartException.class)
                .hasMessageContaining("SAGA-START-006");
    }

    @Test
    void an_engine_that_never_ran_can_be_closed() {
        TestNode node = new TestNode(time, store, memory.transactions(), AT_ONCE, two());
        node.engine.close();
        assertThat(node.engine.status().running()).isFalse();
    }

    @Test
    void a_closed_node_claims_nothing() {
        TestNode node = node(AT_ONCE, two());
        node.engine.close();
        TestNode other = node(two());
        UUID id = start(other);
        other.kill();
        time.run(Duration.ofMinutes(1));
        assertThat(calls).isEmpty();
        assertThat(row(id).epoch()).isEqualTo(1);
    }

    @Test
    void with_threads_of_its_own_it_waits_for_the_end_within_the_grace() throws Exception {
        InMemorySagaStore real = new InMemorySagaStore();
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        SagaEngine engine = SagaEngine.builder()
                .store(real)
                .transactions(real.transactions())
                .tuning(Tuning.defaults().withPatience(Duration.ofSeconds(30), Duration.ofSeconds(60)))
                .build();
        engine.register(define().step("one")
                .action(c -> {
                    began.countDown();
                    goOn.await();
                })
                .noCompensation("nothing")
                .step("two")
                .action(c -> {})
                .noCompensation("nothing")
                .build());
        engine.start();
        UUID id = engine.client().start(TYPE, INPUT).sagaId();
        began.await();
        Thread closing = new Thread(engine::close);
        closing.start();
        while (engine.status().running()) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        closing.join();
        assertThat(real.history(id)).hasSize(1);
        assertThat(real.find(id).orElseThrow().owner()).isNull();
    }

    @Test
    void with_threads_of_its_own_it_interrupts_after_the_grace() throws Exception {
        InMemorySagaStore real = new InMemorySagaStore();
        CountDownLatch began = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        SagaEngine engine = SagaEngine.builder()
                .store(real)
                .transactions(real.transactions())
                .tuning(Tuning.defaults().withPatience(Duration.ofMillis(50), Duration.ofSeconds(60)))
                .build();
        engine.register(define().step("one")
                .action(c -> {
                    began.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                        throw e;
                    }
                })
                .noCompensation("nothing")
                .build());
        engine.start();
        UUID id = engine.client().start(TYPE, INPUT).sagaId();
        began.await();
        engine.close();
        assertThat(interrupted).hasValue(1);
        assertThat(real.history(id))
                .extracting(row -> row.entry().outcome().name())
                .containsExactly("INTERRUPTED");
        assertThat(real.find(id).orElseThrow().owner()).isNull();
    }

    @Test
    void a_claim_that_still_waits_for_a_thread_when_the_node_is_closed_takes_nothing() {
        List<Runnable> waiting = new ArrayList<>();
        TestNode other = node(two());
        TestNode node =
                new TestNode(time, store, memory.transactions(), AT_ONCE, List.of(), waiting::add, two()).started();
        UUID id = start(other);
        other.engine.close();
        assertThat(waiting).as("the claim of the start").isNotEmpty();
        node.engine.close();
        List.copyOf(waiting).forEach(Runnable::run);
        assertThat(row(id).owner()).isNull();
        assertThat(row(id).dueAt()).isEqualTo(time.now());
    }
}
