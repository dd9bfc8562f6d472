package io.backstep.saga.test;

import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** One thread, and a clock that jumps to the next thing to do. What runs may itself let time pass, and so is overtaken by what comes then. */
final class VirtualTime {
    private static final Instant ORIGIN = Instant.parse("2026-03-01T10:00:00Z");
    private static final int MOST_EVENTS = 2_000_000;

    private record Event(long at, long order, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long order;

    Instant now() {
        return ORIGIN.plusNanos(now);
    }

    MonotonicClock clock() {
        return () -> now;
    }

    Timer timer() {
        return (delay, task) -> {
            boolean[] cancelled = {false};
            at(now + Math.max(0, delay.toNanos()), () -> {
                if (!cancelled[0]) {
                    task.run();
                }
            });
            return () -> cancelled[0] = true;
        };
    }

    /** Runs it after everything that is due now. */
    void soon(Runnable task) {
        at(now, task);
    }

    private void at(long time, Runnable task) {
        events.add(new Event(time, order++, task));
    }

    /** Runs everything that falls due in that time. */
    void run(Duration time) {
        runUntil(() -> false, time);
    }

    /** Runs what falls due until the condition holds, or the time is over. */
    void runUntil(BooleanSupplier condition, Duration atMost) {
        long end = now + atMost.toNanos();
        for (int i = 0; !condition.getAsBoolean(); i++) {
            if (events.isEmpty() || events.peek().at() > end) {
                now = Math.max(now, end);
                return;
            }
            if (i > MOST_EVENTS) {
                throw new IllegalStateException("it does not come to an end");
            }
            Event next = events.remove();
            now = Math.max(now, next.at());
            next.task().run();
        }
    }
}
