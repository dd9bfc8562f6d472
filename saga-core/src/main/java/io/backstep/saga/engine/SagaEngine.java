package io.backstep.saga.engine;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the sagas of one node. Build it, register the definitions, start it, close it. The client may be handed out before; it
 * refuses to start sagas while the engine does not run.
 */
public final class SagaEngine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SagaEngine.class);
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);

    private enum Stage {
        BUILT,
        RUNNING,
        CLOSED
    }

    private final Node node;
    private final Migrations migrations;
    private final Claimer claimer;
    private final LeaseRenewal renewal;
    private final Starts starts;
    private final SagaClient client;
    private final Operators operators;
    private final List<AutoCloseable> ownThreads;
    private final Duration atStop;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.BUILT);

    SagaEngine(Node node, Transactions transactions, Ports ports, List<AutoCloseable> ownThreads, Duration atStop) {
        this.node = node;
        this.migrations = new Migrations(node, transactions);
        this.claimer = new Claimer(node, migrations);
        this.renewal = new LeaseRenewal(node, ports.renewer());
        this.ownThreads = ownThreads;
        this.atStop = atStop;
        this.starts = new Starts(node, transactions, ports.ids(), claimer);
        this.operators = new Operators(node, transactions, claimer, migrations);
        this.client = new EngineClient(node, operators, starts, () -> stage.get() == Stage.RUNNING);
    }

    /**
     * Begins to build an engine.
     *
     * @return a builder; store and transactions are needed
     */
    public static SagaEngineBuilder builder() {
        return new SagaEngineBuilder();
    }

    /**
     * Adds a definition.
     *
     * @param definition what this node runs from its start on
     * @throws SagaDefinitionException {@code SAGA-DSL-003} for a second definition of the same name and version, {@code SAGA-DSL-017}
     *     when an input or a result is of a type that Jackson refuses, {@code SAGA-DEF-008} after the start
     */
    public void register(SagaDefinition<?> definition) {
        if (stage.get() != Stage.BUILT) {
            throw new SagaDefinitionException(
                    "SAGA-DEF-008", definition + " is registered after the engine was started; register all before");
        }
        StoredTypes.check(definition, node.json);
        node.registry.add(definition);
    }

    /**
     * Adds a migration: from its start on this node moves instances of the former version that it takes, and that can be moved.
     *
     * @param migration whose versions are registered before the start
     * @throws SagaDefinitionException {@code SAGA-DEF-008} after the start, {@code SAGA-DEF-011} for a second migration of one version
     */
    public void register(SagaMigration migration) {
        if (stage.get() != Stage.BUILT) {
            throw new SagaDefinitionException(
                    "SAGA-DEF-008", migration + " is registered after the engine was started; register all before");
        }
        migrations.add(migration);
    }

    /**
     * Makes the definitions known and begins to take sagas.
     *
     * @throws SagaDefinitionException {@code SAGA-DEF-007} when a definition differs from the one that is stored under its version, {@code
     *     SAGA-DEF-011} when a version of a migration is not registered
     * @throws IllegalStateException when it was started before, or is closed
     */
    public void start() {
        require(stage.get() == Stage.BUILT);
        migrations.check();
        node.registry.makeKnown(node::register);
        require(stage.compareAndSet(
                Stage.BUILT, Stage.RUNNING)); // the database may take its time, and somebody close it
        renewal.start();
        claimer.start();
        node.mailroom.start(new Undoing(operators)::of);
        node.lookout.start(claimer::poll);
        if (stage.get() == Stage.CLOSED) {
            stopLooking();
            renewal.stop();
        }
        log.info("node {} runs {}", node.lease.owner(), node.registry.all());
    }

    /**
     * Stops: refuses starts, gives back what has not begun, waits for running attempts as long as the grace allows, interrupts the
     * rest. Attempts that run even then keep their lease to its end.
     */
    @Override
    public void close() {
        Stage before = stage.getAndSet(Stage.CLOSED);
        if (before == Stage.CLOSED) {
            return;
        }
        stopLooking();
        if (before == Stage.RUNNING) {
            letGo();
        }
        renewal.stop();
        node.workers.stop();
        for (AutoCloseable threads : ownThreads) {
            try {
                threads.close();
            } catch (Exception e) {
                log.warn("closing the engine's threads failed", e);
            }
        }
        starts.stop();
    }

    private void require(boolean built) {
        if (!built) {
            throw new IllegalStateException("the engine is " + stage);
        }
    }

    private void stopLooking() {
        node.lookout.stop();
        claimer.stop();
        node.mailroom.stop();
    }

    private void letGo() {
        node.stop();
        starts.settle(atStop);
        claimer.settle(atStop); // a start in doubt may end in a claim
        CompletableFuture<Void> idle = new CompletableFuture<>();
        node.whenIdle(() -> idle.complete(null));
        node.waits.on(idle, node.tuning.shutdownGrace());
        if (!idle.isDone()) {
            node.loops().forEach(InstanceLoop::interrupt);
            node.waits.on(idle, AFTER_INTERRUPT);
        }
        log.info("node {} stopped, {} sagas keep their lease to its end", node.lease.owner(), node.heldCount());
    }

    /**
     * The client of this node.
     *
     * @return always the same
     */
    public SagaClient client() {
        return client;
    }

    /**
     * What operators' actions need of this node.
     *
     * @return always the same
     */
    public Operators operators() {
        return operators;
    }

    /**
     * The definitions of this node.
     *
     * @return all versions
     */
    public List<SagaDefinition<?>> definitions() {
        return List.copyOf(node.registry.all());
    }

    /**
     * How this node is.
     *
     * @return as of now
     */
    public EngineStatus status() {
        String failure = node.outage.failure();
        return new EngineStatus(stage.get() == Stage.RUNNING, node.heldCount(), failure == null, failure);
    }
}
