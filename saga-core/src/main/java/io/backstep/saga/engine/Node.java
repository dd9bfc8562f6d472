package io.backstep.saga.engine;

import io.backstep.saga.AlertListener;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.serialization.StateCodec;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Parent;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Randomness;
import io.backstep.saga.time.Timer;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What all sagas of a node share, and the sagas that it holds. */
final class Node {
    private static final Duration REST = Duration.ofSeconds(1);

    final Tuning tuning;
    final Lease lease;
    final Outage outage;
    final AnsweringStore store;
    final LeftOpen leftOpen;
    /** Of the transactions of steps. */
    final Pace works;

    final Pace recoveries;
    final Executor keeper;
    final Executor recoverer;
    final MonotonicClock clock;
    final Timer timer;
    final Randomness randomness;
    final Waits waits;
    final Payloads payloads;
    final Json json;
    final StateCodec codec;
    final NewSagas newSagas;
    final Registry registry = new Registry();
    final Journal journal;
    final Workers workers;
    final Room room;
    final SuspectGate gate = new SuspectGate();
    final Views views;
    final Notifier notifier;
    final Waiters waiters = new Waiters();
    final Mailroom mailroom = new Mailroom(this);
    final Lookout lookout = new Lookout(this);
    final Repeats repeats = new Repeats(this);
    private final Map<UUID, InstanceLoop> held = new ConcurrentHashMap<>();
    private volatile boolean stopping;
    private volatile Runnable whenIdle = () -> {};

    Node(
            Tuning tuning,
            String owner,
            SagaStore store,
            Transactions transactions,
            Payloads payloads,
            Ports ports,
            List<SagaListener> listeners,
            List<AlertListener> alertListeners) {
        this.tuning = tuning;
        this.lease = new Lease(owner, tuning.lease());
        this.outage = new Outage(ports.clock());
        this.store = new AnsweringStore(store, outage);
        this.leftOpen = new LeftOpen(transactions);
        this.payloads = payloads;
        this.json = payloads.json();
        this.codec = new StateCodec(json);
        this.newSagas = new NewSagas(payloads, codec);
        this.keeper = ports.keeper();
        this.recoverer = ports.recoverer();
        this.clock = ports.clock();
        this.timer = ports.timer();
        this.randomness = ports.randomness();
        this.waits = ports.waits();
        Supplier<Pace> paces = () -> new Pace(ports.timer(), ports.randomness(), ports.clock(), this.store::isHarmless);
        this.works = paces.get();
        this.recoveries = paces.get();
        this.journal = new Journal(this.store, ports.writers(), tuning.writers(), tuning.maxBatch(), paces);
        this.workers = new Workers(ports.workers(), ports.timer(), tuning.workerThreads());
        this.room = new Room(tuning.maxInFlight());
        this.views = new Views(this.store, payloads, codec, new Twins(owner, tuning.nodeId(), clock, tuning.lease()));
        this.notifier = new Notifier(views, payloads.encodes(), listeners, alertListeners);
    }

    /** Makes a definition known, or finds it. */
    RegisteredDefinition register(SagaDefinition<?> definition) {
        try {
            return repeats.of(() -> store.register(definition.name(), definition.version(), definition.fingerprint()));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    Recorder recorder(Registered registered, @Nullable Parent parent, Map<String, String> keys) {
        return new Recorder(registered, parent, codec, payloads, keys, tuning.nodeId());
    }

    boolean stopping() {
        return stopping;
    }

    /** Of two claims of this node the later one counts, whatever the other believes by a clock that is slow. */
    void hold(InstanceLoop loop) {
        AtomicReference<@Nullable InstanceLoop> outdated = new AtomicReference<>();
        held.merge(loop.sagaId(), loop, (one, other) -> {
            boolean later = other.fence().epoch() > one.fence().epoch();
            outdated.set(later ? one : other);
            return later ? other : one;
        });
        InstanceLoop lost = outdated.get();
        if (lost == null) {
            room.add();
        } else {
            lost.outdated();
        }
    }

    void forget(InstanceLoop loop) {
        if (held.remove(loop.sagaId(), loop)) {
            room.leave();
        }
        waiters.wake(loop.sagaId());
        if (held.isEmpty()) {
            whenIdle.run();
        }
    }

    @Nullable
    InstanceLoop held(UUID sagaId) {
        return held.get(sagaId);
    }

    /** Spreads what many nodes do: up to a fifth sooner or later. */
    Duration spread(Duration interval) {
        return Duration.ofNanos((long) (interval.toNanos() * (0.8 + 0.4 * randomness.next())));
    }

    /** How long to wait after a failure before the next try: a second or a little more. */
    Duration rest() {
        return REST.plusNanos((long) (REST.toNanos() * 0.4 * randomness.next()));
    }

    int heldCount() {
        return held.size();
    }

    List<InstanceLoop> loops() {
        return List.copyOf(held.values());
    }

    List<Held> heldNow() {
        return held.values().stream().map(InstanceLoop::held).toList();
    }

    void renewed(UUID sagaId, long sentNanos) {
        InstanceLoop loop = held.get(sagaId);
        if (loop != null) {
            loop.renewed(sentNanos);
        }
    }

    /** What a write has brought for others is looked for at once. */
    void wrote(Mutation mutation) {
        if (!mutation.posts().isEmpty()) {
            mailroom.look();
        }
        if (!mutation.children().isEmpty()) {
            lookout.claim();
        }
    }

    /** Nothing begins from now on, and what is not under way is given back. */
    void stop() {
        stopping = true;
        loops().forEach(InstanceLoop::stop);
    }

    /** Tells when it holds nothing any more; now, if so. */
    void whenIdle(Runnable idle) {
        whenIdle = idle;
        if (held.isEmpty()) {
            idle.run();
        }
    }
}
