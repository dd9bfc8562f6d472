package io.backstep.saga.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How far back one looks for what is due. Who looks at all of it passes the dead index entries of all sagas that have ended since the
 * last vacuum, and while somebody's transaction stays open for long none can be removed. When that takes long, twice in a row, it is
 * done seldom, and between one looks at what has become due since the time before.
 */
final class Reach {
    /** As far back as anything may be due. */
    static final Duration ALL = Duration.ofDays(365 * 100);

    /** What became due before the last look, but was committed after it. */
    static final Duration MARGIN = Duration.ofSeconds(2);

    private static final long LONG_NANOS = Duration.ofMillis(200).toNanos();

    /** One at all, when those take long, comes only after so many times as long, but never later than that. */
    private static final int TIMES = 10;

    private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

    /**
     * One look.
     *
     * @param definitionIds for which definitions
     * @param begun when, in nanoseconds of the clock
     * @param back how far back
     */
    record Look(List<Integer> definitionIds, long begun, Duration back) {
        private boolean atAll() {
            return back.equals(ALL);
        }
    }

    /** The last one that left nothing due; whether the last one at all took long, and when the next one at all is due. */
    private record Done(Look look, boolean tookLong, long nextAtAll) {}

    private final LongSupplier nanos;
    private volatile @Nullable Done last;

    Reach(LongSupplier nanos) {
        this.nanos = nanos;
    }

    Look begin(List<Integer> definitionIds) {
        long now = nanos.getAsLong();
        Done done = last;
        if (done == null
                || now - done.nextAtAll() >= 0
                || !done.look().definitionIds().equals(definitionIds)) {
            return new Look(definitionIds, now, ALL);
        }
        Duration back = Duration.ofNanos(now - done.look().begun()).plus(MARGIN);
        return new Look(definitionIds, now, back);
    }

    /** It has seen, and taken, all that was due. */
    void nothingLeft(Look look) {
        Done done = last;
        if (look.atAll()) {
            long now = nanos.getAsLong();
            long took = now - look.begun();
            boolean tookLong = took >= LONG_NANOS;
            boolean again = tookLong && done != null && done.tookLong();
            last = new Done(look, tookLong, again ? now + Math.min(TIMES * took, LONGEST_NANOS) : now);
        } else if (done != null) {
            last = new Done(look, done.tookLong(), done.nextAtAll());
        }
    }
}
