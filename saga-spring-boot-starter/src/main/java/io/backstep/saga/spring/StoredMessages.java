package io.backstep.saga.spring;

import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.messaging.OutboxBacklog;
import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.store.SagaStoreException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What waits in the outbox. Asked for at most every ten seconds, by one thread, and not at all while the store is away: then it is what it was. */
final class StoredMessages {
    static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final OutboxStore store;
    private final SagaEngine engine;
    private final LongSupplier nanos;
    private final AtomicLong askAgainAt;
    private volatile @Nullable OutboxBacklog last;

    StoredMessages(OutboxStore store, SagaEngine engine) {
        this(store, engine, System::nanoTime);
    }

    StoredMessages(OutboxStore store, SagaEngine engine, LongSupplier nanos) {
        this.store = store;
        this.engine = engine;
        this.nanos = nanos;
        this.askAgainAt = new AtomicLong(nanos.getAsLong());
    }

    /** Null before the store has answered once. */
    @Nullable
    OutboxBacklog seen() {
        EngineStatus status = engine.status();
        if (status.running() && status.storeReachable() && isOurTurn()) {
            try {
                last = store.backlog();
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

    /** Not a number before the store has answered once. */
    double value(ToDoubleFunction<OutboxBacklog> part) {
        OutboxBacklog seen = seen();
        return seen == null ? Double.NaN : part.applyAsDouble(seen);
    }
}
