package io.backstep.saga.simulation;

import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.time.Timer;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One process: a real engine by the production builder, with other ports. It is born, may pause, and dies once. */
final class SimNode {
    final int index;
    final Set<Integer> versions;
    final SagaEngine engine;
    final SagaAdmin admin;
    final SimTransactions transactions;
    /** The part of its owner names that its engine made up. */
    final String owner;

    private final World world;
    private final int generation;
    private final Dice dice;
    private final double rate;
    private final long born;
    private final long origin;
    private final SagaRetention retention;
    private final List<Runnable> missed = new ArrayList<>();
    private boolean alive = true;
    private boolean paused;
    private boolean ready;
    private boolean stopping;

    SimNode(World world, int index, int generation, Set<Integer> versions) {
        this.world = world;
        this.index = index;
        this.generation = generation;
        this.versions = versions;
        this.dice = world.scenario.dice(30, index, generation);
        double drift = world.scenario.intensity(Fault.DRIFT);
        this.rate = 1 + (dice.share() * 2 - 1) * drift;
        this.origin = dice.chance(0.2) ? Long.MAX_VALUE - dice.between(0L, world.scenario.bound) : dice.bits();
        this.born = world.loop.now();
        this.transactions = new SimTransactions(world.database);
        String[] id = {""};
        this.engine = SagaEngine.builder()
                .store(new SimStore(world.database))
                .transactions(transactions)
                .tuning(world.scenario.tuning(index))
                .executor(task -> world.loop.soon(() -> deliver(task)))
                .storeExecutor(task -> world.loop.soon(() -> deliver(task)))
                .timer(this::after)
                .clock(() -> origin + (long) ((world.loop.now() - born) * rate))
                .ids(() -> {
                    id[0] = world.nextId().toString();
                    return java.util.UUID.fromString(id[0]);
                })
                .randomness(dice::share)
                .waits(new VirtualWaits())
                .listener(world.heard)
                .build();
        this.owner = world.scenario.tuning(index).nodeId() + "/" + id[0];
        world.definitions.stream()
                .filter(definition -> knows(definition.version()))
                .forEach(engine::register);
        if (moves()) {
            world.migrations.forEach(engine::register);
        }
        this.admin = SagaAdmin.of(engine);
        Duration kept = WriteRules.KEPT;
        RetentionPolicy policy =
                new RetentionPolicy(RetentionPolicy.keep(kept).ages(), Duration.ofSeconds(5), dice.between(1, 5));
        this.retention = SagaRetention.of(engine, policy);
    }

    /** Where instances are moved there are the second version and the third: nodes that know both, and move or not, and nodes that know only the older. */
    boolean knows(int version) {
        return world.scenario.on(Fault.MIGRATION)
                ? version == 2 || (version == 3 && versions.contains(2))
                : versions.contains(version);
    }

    boolean moves() {
        return world.scenario.on(Fault.MIGRATION) && versions.size() == 2;
    }

    boolean alive() {
        return alive;
    }

    boolean paused() {
        return paused;
    }

    /** Whether clients and operators can ask it. */
    boolean serves() {
        return alive && ready && !stopping;
    }

    boolean drifts() {
        return world.scenario.on(Fault.DRIFT);
    }

    /** Starts the engine, again and again while the database is away. */
    void start() {
        try {
            engine.start();
            ready = true;
            if (world.scenario.on(Fault.PURGE)) {
                retention.start();
            }
        } catch (SimFailure e) {
            after(Duration.ofSeconds(1), this::start);
        }
    }

    /** Runs something as this process, unless it is dead; when it goes on, if it is paused. */
    void deliver(Runnable task) {
        if (!alive) {
            return;
        }
        if (paused) {
            missed.add(task);
        } else {
            ((LoopThread) Thread.currentThread()).node = this;
            task.run();
        }
    }

    private Timer.Scheduled after(Duration delay, Runnable task) {
        boolean[] cancelled = {false};
        long nanos = (long) Math.ceil(Math.max(0, delay.toNanos()) / rate) + 1;
        world.loop.after(nanos, () -> {
            if (!cancelled[0]) {
                deliver(task);
            }
        });
        return () -> cancelled[0] = true;
    }

    void pause() {
        paused = true;
    }

    void resume() {
        if (paused) {
            paused = false;
            List<Runnable> now = List.copyOf(missed);
            missed.clear();
            now.forEach(task -> world.loop.soon(() -> deliver(task)));
        }
    }

    void kill() {
        alive = false;
        missed.clear();
        world.loop.killSleepers(this);
    }

    /** As on SIGTERM; then the process is gone. */
    void stop(Runnable gone) {
        stopping = true;
        retention.close();
        engine.close();
        kill();
        gone.run();
    }

    @Override
    public String toString() {
        return "node " + index + "." + generation;
    }

    private final class VirtualWaits implements Waits {
        @Override
        public boolean on(CompletableFuture<?> signal, Duration atMost) {
            if (signal.isDone()) {
                return true;
            }
            Sleep sleep = world.loop.begin();
            signal.whenComplete((answer, failure) -> world.loop.wakeFor(sleep, Sleep.End.SIGNAL));
            world.loop.after(atMost.toNanos(), () -> world.loop.wakeFor(sleep, Sleep.End.TIME));
            return world.loop.await(sleep) != Sleep.End.INTERRUPT;
        }

        @Override
        public void until(CompletableFuture<?> signal) {
            while (!signal.isDone()) {
                on(signal, Duration.ofDays(1));
            }
        }
    }
}
