package io.backstep.saga.engine;

import io.backstep.saga.time.MonotonicClock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells that somebody else has a saga's row locked: once, and again each minute as long as it lasts. */
final class RowLock {
    private static final Logger log = LoggerFactory.getLogger(RowLock.class);
    private static final Duration REMINDER = Duration.ofMinutes(1);

    private record Met(long since, long told) {}

    private final MonotonicClock clock;
    private final UUID sagaId;
    private final AtomicReference<@Nullable Met> met = new AtomicReference<>();

    RowLock(MonotonicClock clock, UUID sagaId) {
        this.clock = clock;
        this.sagaId = sagaId;
    }

    void met() {
        long now = clock.nanos();
        Met before = met.get();
        if (before == null) {
            met.set(new Met(now, now));
            log.warn("saga {}: its row is locked by somebody else; it waits, and goes on when the row is free", sagaId);
        } else if (now - before.told() >= REMINDER.toNanos()) {
            met.set(new Met(before.since(), now));
            long seconds = Duration.ofNanos(now - before.since()).toSeconds();
            log.warn("saga {}: its row is still locked by somebody else, for {} s by now", sagaId, seconds);
        }
    }

    void free() {
        met.set(null);
    }
}
