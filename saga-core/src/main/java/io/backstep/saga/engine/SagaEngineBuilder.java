package io.backstep.saga.engine;

import io.backstep.saga.AlertListener;
import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.PayloadCodec;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.Ids;
import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.NearbyExecutor;
import io.backstep.saga.time.Randomness;
import io.backstep.saga.time.SystemPorts;
import io.backstep.saga.time.Timer;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** Builds a {@link SagaEngine}. */
public final class SagaEngineBuilder {
    private static final Duration LONGEST_CALL_AT_STOP = Duration.ofSeconds(5);

    private @Nullable SagaStore store;
    private @Nullable Transactions transactions;
    private @Nullable PayloadCodec codec;
    private Tuning tuning = Tuning.defaults();
    private final List<SagaDefinition<?>> definitions = new ArrayList<>();
    private final List<SagaListener> listeners = new ArrayList<>();
    private final List<AlertListener> alertListeners = new ArrayList<>();
    private @Nullable Executor workers;
    private @Nullable Executor storeCalls;
    private @Nullable Timer timer;
    private MonotonicClock clock = SystemPorts.clock();
    private Ids ids = SystemPorts.ids();
    private Randomness randomness = SystemPorts.randomness();
    private Waits waits = SystemPorts.waits();

    SagaEngineBuilder() {}

    /**
     * Where sagas are kept. Needed.
     *
     * @param kept the store
     * @return this
     */
    public SagaEngineBuilder store(SagaStore kept) {
        this.store = kept;
        return this;
    }

    /**
     * The application's transactions, of the same database as the store. Needed.
     *
     * @param joined the transactions
     * @return this
     */
    public SagaEngineBuilder transactions(Transactions joined) {
        this.transactions = joined;
        return this;
    }

    /**
     * Adds definitions, as {@link SagaEngine#register(SagaDefinition)} does.
     *
     * @param known what this node runs from its start on
     * @return this
     */
    public SagaEngineBuilder definitions(SagaDefinition<?>... known) {
        return definitions(List.of(known));
    }

    /**
     * Adds definitions, as {@link SagaEngine#register(SagaDefinition)} does.
     *
     * @param known what this node runs from its start on
     * @return this
     */
    public SagaEngineBuilder definitions(Collection<? extends SagaDefinition<?>> known) {
        definitions.addAll(known);
        return this;
    }

    /**
     * What encodes payloads before they are stored, such as {@link io.backstep.saga.serialization.AesGcmCodec}; none unless given.
     *
     * @param encoding the codec; all nodes need one that reads what any of them writes
     * @return this
     */
    public SagaEngineBuilder payloadCodec(PayloadCodec encoding) {
        this.codec = encoding;
        return this;
    }

    /**
     * The settings.
     *
     * @param settings instead of {@link Tuning#defaults()}
     * @return this
     */
    public SagaEngineBuilder tuning(Tuning settings) {
        this.tuning = settings;
        return this;
    }

    /**
     * What runs user code, instead of threads of the engine's own. The engine bounds how much it hands over.
     *
     * @param executor must not run tasks on the calling thread, unless everything is on one thread; not closed by the engine
     * @return this
     */
    public SagaEngineBuilder executor(Executor executor) {
        this.workers = executor;
        return this;
    }

    /**
     * What runs calls of the store, which may block, instead of threads of the engine's own.
     *
     * @param executor not closed by the engine; claims and starts that are under way on it when the engine is closed are not waited for
     * @return this
     */
    public SagaEngineBuilder storeExecutor(Executor executor) {
        this.storeCalls = executor;
        return this;
    }

    /**
     * Another timer.
     *
     * @param port not closed by the engine
     * @return this
     */
    public SagaEngineBuilder timer(Timer port) {
        this.timer = port;
        return this;
    }

    /**
     * Another monotonic clock.
     *
     * @param port the clock
     * @return this
     */
    public SagaEngineBuilder clock(MonotonicClock port) {
        this.clock = port;
        return this;
    }

    /**
     * Another source of ids.
     *
     * @param port the ids
     * @return this
     */
    public SagaEngineBuilder ids(Ids port) {
        this.ids = port;
        return this;
    }

    /**
     * Another source of draws.
     *
     * @param port the draws
     * @return this
     */
    public SagaEngineBuilder randomness(Randomness port) {
        this.randomness = port;
        return this;
    }

    /**
     * Another way to block callers that have asked for it.
     *
     * @param port the waits
     * @return this
     */
    public SagaEngineBuilder waits(Waits port) {
        this.waits = port;
        return this;
    }

    /**
     * Adds a listener.
     *
     * @param listener told after commits
     * @return this
     */
    public SagaEngineBuilder listener(SagaListener listener) {
        listeners.add(listener);
        return this;
    }

    /**
     * Adds listeners.
     *
     * @param all told after commits, in this order
     * @return this
     */
    public SagaEngineBuilder listeners(SagaListener... all) {
        listeners.addAll(List.of(all));
        return this;
    }

    /**
     * Adds a listener for what needs a person.
     *
     * @param listener told after commits
     * @return this
     */
    public SagaEngineBuilder alertListener(AlertListener listener) {
        alertListeners.add(listener);
        return this;
    }

    /**
     * Builds it; nothing runs yet.
     *
     * @return the engine
     * @throws SagaConfigurationException {@code SAGA-CFG-010} without store or transactions
     * @throws SagaDefinitionException when a definition is refused, see {@link SagaEngine#register(SagaDefinition)}
     */
    public SagaEngine build() {
        if (store == null || transactions == null) {
            throw new SagaConfigurationException("SAGA-CFG-010", "an engine needs a store and transactions");
        }
        List<AutoCloseable> ownThreads = new ArrayList<>();
        Ports ports = ports(ownThreads);
        String owner = tuning.nodeId() + "/" + ids.next();
        Node node = new Node(tuning, owner, store, transactions, new Payloads(codec), ports, listeners, alertListeners);
        Duration atStop = storeCalls == null ? LONGEST_CALL_AT_STOP : Duration.ZERO;
        SagaEngine engine = new SagaEngine(node, transactions, ports, ownThreads, atStop);
        definitions.forEach(engine::register);
        return engine;
    }

    private Ports ports(List<AutoCloseable> ownThreads) {
        SystemPorts system = new SystemPorts("saga-" + tuning.nodeId());
        ownThreads.add(system);
        Executor attempts = workers == null ? workers(ownThreads, system.growingPool("worker")) : workers;
        return new Ports(
                clock,
                timer == null ? system.timer() : timer,
                ids,
                randomness,
                waits,
                attempts,
                storeCalls == null
                        ? writers(ownThreads, attempts, system.pool("writer", Journal.flushes(tuning.writers())))
                        : storeCalls,
                storeCalls == null ? owned(ownThreads, system.pool("keeper", 2)) : storeCalls,
                storeCalls == null ? owned(ownThreads, system.pool("recoverer", 2)) : storeCalls,
                storeCalls == null ? owned(ownThreads, system.pool("renewer", 1)) : storeCalls);
    }

    /** Code of the application may hang: nobody waits for it. */
    private static Executor workers(List<AutoCloseable> ownThreads, ExecutorService pool) {
        ownThreads.add(pool::shutdown);
        return SystemPorts.relayed(pool);
    }

    private static Executor writers(List<AutoCloseable> ownThreads, Executor attempts, ExecutorService pool) {
        NearbyExecutor writers = new NearbyExecutor(attempts, pool);
        ownThreads.add(writers);
        return writers;
    }

    private static Executor owned(List<AutoCloseable> ownThreads, ExecutorService pool) {
        ownThreads.add(() -> SystemPorts.end(pool));
        return pool;
    }
}
