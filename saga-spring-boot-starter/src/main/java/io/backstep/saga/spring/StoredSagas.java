package io.backstep.saga.spring;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.SagaStoreException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * How many sagas wait for versions that this node does not know, and how old the oldest of those are that it knows. However often meters and health are read, the store is asked once a minute
 * at most, and not at all while it is away: then it is what it was. Safe for any number of threads; one asks, the others do not wait for it.
 */
final class StoredSagas {
    static final long REFRESH_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final SagaEngine engine;
    private final ObjectProvider<SagaAdmin> admin;
    private final LongSupplier nanos;
    private final AtomicLong askAgainAt;
    private volatile @Nullable Seen last;

    /**
     * What the store has said.
     *
     * @param unknown how many sagas wait for other nodes, by version
     * @param oldest the age of the oldest saga that is under way, by type
     */
    record Seen(Map<String, Integer> unknown, Map<String, Duration> oldest) {}

    @Autowired
    StoredSagas(SagaEngine engine, ObjectProvider<SagaAdmin> admin) {
        this(engine, admin, System::nanoTime);
    }

    StoredSagas(SagaEngine engine, ObjectProvider<SagaAdmin> admin, LongSupplier nanos) {
        this.engine = engine;
        this.admin = admin;
        this.nanos = nanos;
        this.askAgainAt = new AtomicLong(nanos.getAsLong());
    }

    /** Null before the store has answered once. */
    @Nullable
    Seen seen() {
        EngineStatus status = engine.status();
        if (status.running() && status.storeReachable() && isOurTurn()) {
            try {
                last = ask();
            } catch (SagaStoreException e) {
                // the next call of the engine tells whether that is an outage
            }
        }
        return last;
    }

    private boolean isOurTurn() {
        long now = nanos.getAsLong();
        long due = askAgainAt.get();
        return now - due >= 0 && askAgainAt.compareAndSet(due, now + REFRESH_NANOS);
    }

    private Seen ask() {
        Map<String, Integer> sagas = new LinkedHashMap<>();
        admin.getObject()
                .unknownDefinitions()
                .forEach(version -> sagas.put(version.name() + " v" + version.version(), version.sagas()));
        return new Seen(sagas, admin.getObject().oldest());
    }

    /** All that wait for other nodes; not a number before the store has answered once. */
    double unknown() {
        Seen seen = seen();
        return seen == null
                ? Double.NaN
                : seen.unknown().values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The age of the oldest of a type in seconds, 0 when none is under way; not a number before the store has answered once. */
    double oldest(String name) {
        Seen seen = seen();
        return seen == null
                ? Double.NaN
                : seen.oldest().getOrDefault(name, Duration.ZERO).toMillis() / 1000.0;
    }
}
