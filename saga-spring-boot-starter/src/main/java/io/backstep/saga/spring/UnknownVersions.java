package io.backstep.saga.spring;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.SagaStoreException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * How many sagas wait for versions that this node does not know. However often meters and health are read, the store is asked once a minute
 * at most, and not at all while it is away: then it is what it was. Safe for any number of threads; one asks, the others do not wait for it.
 */
final class UnknownVersions {
    static final long REFRESH_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final SagaEngine engine;
    private final ObjectProvider<SagaAdmin> admin;
    private final LongSupplier nanos;
    private final AtomicLong askAgainAt;
    private volatile @Nullable Map<String, Integer> last;

    @Autowired
    UnknownVersions(SagaEngine engine, ObjectProvider<SagaAdmin> admin) {
        this(engine, admin, System::nanoTime);
    }

    UnknownVersions(SagaEngine engine, ObjectProvider<SagaAdmin> admin, LongSupplier nanos) {
        this.engine = engine;
        this.admin = admin;
        this.nanos = nanos;
        this.askAgainAt = new AtomicLong(nanos.getAsLong());
    }

    /** By their versions; null before the store has answered once. */
    @Nullable
    Map<String, Integer> sagas() {
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

    private Map<String, Integer> ask() {
        Map<String, Integer> sagas = new LinkedHashMap<>();
        admin.getObject()
                .unknownDefinitions()
                .forEach(version -> sagas.put(version.name() + " v" + version.version(), version.sagas()));
        return sagas;
    }

    /** All of them; not a number before the store has answered once. */
    double total() {
        Map<String, Integer> sagas = sagas();
        return sagas == null
                ? Double.NaN
                : sagas.values().stream().mapToInt(Integer::intValue).sum();
    }
}
