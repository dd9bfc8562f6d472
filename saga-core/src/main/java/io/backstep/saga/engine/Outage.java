package io.backstep.saga.engine;

import io.backstep.saga.Shown;
import io.backstep.saga.time.MonotonicClock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the store answers. It is told once when it does not, and once when it does again, however many sagas and calls find out.
 * It is over when every kind of call that failed has worked, or has not been tried for a while.
 */
final class Outage {
    private static final Logger log = LoggerFactory.getLogger("io.backstep.saga");

    /** How much of an error text a log line has: somebody else wrote it. */
    private static final int LONGEST_ERROR = 1000;

    private static final Duration FORGOTTEN = Duration.ofSeconds(5);

    /** The kinds of calls that the engine makes by itself. */
    enum Kind {
        INSERT,
        SUBMIT,
        WORK,
        LOOK,
        CLAIM,
        CLAIM_ONE,
        RECOVER,
        RENEW,
        SWEEP
    }

    private record Seen(@Nullable String failure, long since, Map<Kind, Long> failing) {
        private static final Seen NOTHING = new Seen(null, 0, Map.of());

        private Seen failed(Kind kind, String text, long now) {
            Map<Kind, Long> all = new EnumMap<>(Kind.class);
            all.putAll(failing);
            all.put(kind, now);
            return new Seen(text, failure == null ? now : since, all);
        }

        private Seen answered(Kind kind, long now) {
            if (failure == null) {
                return this;
            }
            Map<Kind, Long> rest = new EnumMap<>(Kind.class);
            failing.forEach((other, last) -> {
                if (other != kind && now - last < FORGOTTEN.toNanos()) {
                    rest.put(other, last);
                }
            });
            return rest.isEmpty() ? NOTHING : new Seen(failure, since, rest);
        }
    }

    private final MonotonicClock clock;
    private final AtomicReference<Seen> seen = new AtomicReference<>(Seen.NOTHING);

    Outage(MonotonicClock clock) {
        this.clock = clock;
    }

    void failed(Kind kind, Throwable failure) {
        String text = ErrorText.of(failure).text();
        long now = clock.nanos();
        if (seen.getAndUpdate(before -> before.failed(kind, text, now)).failure() == null) {
            log.warn(
                    "SAGA-DB-002: the store fails; sagas wait and go on when it answers again: {}",
                    Shown.line(text, LONGEST_ERROR));
        }
    }

    void answered(Kind kind) {
        if (!isOn()) {
            return;
        }
        long now = clock.nanos();
        Seen before = seen.getAndUpdate(seenBefore -> seenBefore.answered(kind, now));
        if (before.failure() != null && before.answered(kind, now).failure() == null) {
            log.info("the store answers again, after {}", shown(now - before.since()));
        }
    }

    /** What the store said last, while it fails; else null. */
    @Nullable
    String failure() {
        return Objects.requireNonNull(seen.get()).failure();
    }

    boolean isOn() {
        return failure() != null;
    }

    /** For people: whole seconds, or less. */
    private static Duration shown(long nanos) {
        Duration exact = Duration.ofNanos(nanos);
        return exact.toSeconds() > 0 ? Duration.ofSeconds(exact.toSeconds()) : Duration.ofMillis(exact.toMillis());
    }
}
