package io.backstep.saga.engine;

import io.backstep.saga.Alert;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** A node on virtual time: a real engine by the production builder, with other ports. */
final class TestNode {
    private static final AtomicLong NEXT_ID = new AtomicLong();

    final List<Alert> alerts = new ArrayList<>();
    final SagaEngine engine;
    private final List<Runnable> missed = new ArrayList<>();
    private boolean alive = true;
    private boolean paused;

    TestNode(VirtualTime time, SagaStore store, Transactions transactions, Tuning tuning, SagaDefinition<?>... known) {
        this(time, store, transactions, tuning, List.of(), known);
    }

    TestNode(
            VirtualTime time,
            SagaStore store,
            Transactions transactions,
            Tuning tuning,
            List<SagaListener> listeners,
            SagaDefinition<?>... known) {
        this(time, store, transactions, tuning, listeners, Runnable::run, known);
    }

    TestNode(
            VirtualTime time,
            SagaStore store,
            Transactions transactions,
            Tuning tuning,
            List<SagaListener> listeners,
            Executor storeCalls,
            SagaDefinition<?>... known) {
        this(time, store, transactions, tuning, listeners, storeCalls, time.clock(), known);
    }

    TestNode(
            VirtualTime time,
            SagaStore store,
            Transactions transactions,
            Tuning tuning,
            List<SagaListener> listeners,
            Executor storeCalls,
            MonotonicClock clock,
            SagaDefinition<?>... known) {
        this(time, store, transactions, tuning, listeners, storeCalls, clock, UnaryOperator.identity(), known);
    }

    /** With more settings of the builder. */
    TestNode(
            VirtualTime time,
            SagaStore store,
            Transactions transactions,
            Tuning tuning,
            List<SagaListener> listeners,
            Executor storeCalls,
            MonotonicClock clock,
            UnaryOperator<SagaEngineBuilder> more,
            SagaDefinition<?>... known) {
        Executor workers = time.executor(() -> alive);
        Timer timer = time.timer(() -> alive);
        SagaEngineBuilder builder = SagaEngine.builder()
                .store(store)
                .transactions(transactions)
                .tuning(tuning)
                .executor(next -> workers.execute(() -> unlessPaused(next)))
                .storeExecutor(next -> storeCalls.execute(() -> ifAlive(next)))
                .timer((delay, next) -> timer.after(delay, () -> unlessPaused(next)))
                .clock(clock)
                .ids(() -> new UUID(0x7000L, 0x8000000000000000L | NEXT_ID.incrementAndGet()))
                .randomness(() -> 0)
                .alertListener(alerts::add);
        listeners.forEach(builder::listener);
        this.engine = more.apply(builder).build();
        for (SagaDefinition<?> definition : known) {
            engine.register(definition);
        }
    }

    static Tuning tuning() {
        return Tuning.defaults().withLease(Duration.ofSeconds(10), Duration.ofSeconds(1));
    }

    TestNode started() {
        engine.start();
        return this;
    }

    SagaClient client() {
        return engine.client();
    }

    private void ifAlive(Runnable next) {
        if (alive) {
            unlessPaused(next);
        }
    }

    boolean alive() {
        return alive;
    }

    private void unlessPaused(Runnable next) {
        if (paused) {
            missed.add(next);
        } else {
            next.run();
        }
    }

    /** As SIGSTOP: time passes, and the node does nothing. */
    void pause() {
        paused = true;
    }

    /** As SIGCONT: it does at once what it has missed. */
    void resume() {
        paused = false;
        List<Runnable> now = List.copyOf(missed);
        missed.clear();
        now.forEach(Runnable::run);
    }

    /** As kill -9: nothing that it has begun goes on. */
    void kill() {
        alive = false;
    }

    /** As kill -9, from inside user code. */
    Error killedHere() {
        kill();
        return new AssertionError("the node is dead");
    }
}
