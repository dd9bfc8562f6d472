package io.backstep.saga.test;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.SystemPorts;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A node on virtual time: a real engine by the production builder, with other ports. It may pause, and dies once. */
final class KitNode {
    /** Thrown through whatever a node is doing when it dies. */
    static final class Died extends Error {
        private static final long serialVersionUID = 1L;

        private Died() {
            super("the node is dead", null, false, false);
        }
    }

    private final VirtualTime time;
    private final SagaEngine engine;
    private final List<Runnable> missed = new ArrayList<>();
    private boolean alive = true;
    private boolean paused;
    private Duration slept = Duration.ZERO;

    KitNode(VirtualTime time, SagaStore store, Transactions transactions, Tuning tuning) {
        this.time = time;
        this.engine = SagaEngine.builder()
                .store(store)
                .transactions(transactions)
                .tuning(tuning)
                .executor(task -> time.soon(() -> deliver(task)))
                .storeExecutor(this::deliver)
                .timer((delay, task) -> time.timer().after(delay, () -> deliver(task)))
                .clock(() -> time.clock().nanos() + slept.toNanos())
                .ids(SystemPorts.ids())
                .randomness(() -> 0)
                .waits(new VirtualWaits())
                .build();
    }

    void start(SagaDefinition<?> definition) {
        start(List.of(definition));
    }

    void start(List<SagaDefinition<?>> definitions) {
        definitions.forEach(engine::register);
        engine.start();
    }

    SagaEngine engine() {
        return engine;
    }

    SagaClient client() {
        return engine.client();
    }

    boolean alive() {
        return alive;
    }

    /** As SIGSTOP: time passes, and the node does nothing. */
    void pause() {
        paused = true;
    }

    /** As SIGCONT: its clock shows how long it was away, and it does what it has missed. */
    void resume(Duration away) {
        slept = slept.plus(away);
        paused = false;
        List<Runnable> now = List.copyOf(missed);
        missed.clear();
        now.forEach(task -> time.soon(() -> deliver(task)));
    }

    /** As SIGKILL: nothing that it has begun goes on. */
    void kill() {
        alive = false;
    }

    /** As SIGKILL, from inside of what the node does. */
    Died died() {
        kill();
        return new Died();
    }

    private void deliver(Runnable task) {
        if (!alive) {
            return;
        }
        if (paused) {
            missed.add(task);
            return;
        }
        try {
            task.run();
        } catch (Died e) {
            kill(); // it has; nodes that it is nested in go on
        }
    }

    /** Who waits lets time pass. */
    private final class VirtualWaits implements Waits {
        @Override
        public boolean on(CompletableFuture<?> signal, Duration atMost) {
            time.runUntil(() -> signal.isDone() || !alive, atMost);
            return !Thread.currentThread().isInterrupted();
        }

        @Override
        public void until(CompletableFuture<?> signal) {
            time.runUntil(() -> signal.isDone() || !alive, Duration.ofDays(1));
            if (!signal.isDone()) {
                throw died();
            }
        }
    }
}
