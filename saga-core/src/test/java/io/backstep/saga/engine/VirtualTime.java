package io.backstep.saga.engine;

import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** One thread, and a clock that jumps to the next thing to do. */
final class VirtualTime {
    private static final Instant ORIGIN = Instant.parse("2026-03-01T10:00:00Z");

    private record Event(long at, long order, Runnable task) {}

    private final PriorityQueue<Event> events = new PriorityQueue<>((one, other) ->
            one.at() == other.at() ? Long.compare(one.order(), other.order()) : Long.compare(one.at(), other.at()));
    private long now;
    private long order;
    private int executed;

    Instant now() {
        return ORIGIN.plusNanos(now);
    }

    Duration elapsed() {
        return Duration.ofNanos(now);
    }

    MonotonicClock clock() {
        return () -> now;
    }

    /** Runs tasks later, at the same time, in order; while its owner lives. */
    Executor executor(BooleanSupplier alive) {
        return task -> at(now, alive, task);
    }

    Timer timer(BooleanSupplier alive) {
        return (delay, task) -> {
            boolean[] cancelled = {false};
            at(now + Math.max(0, delay.toNanos()), () -> alive.getAsBoolean() && !cancelled[0], task);
            return () -> cancelled[0] = true;
        };
    }

    private void at(long time, BooleanSupplier wanted, Runnable task) {
        events.add(new Event(time, order++, () -> {
            if (wanted.getAsBoolean()) {
                task.run();
            }
        }));
    }

    /** Lets time pass, as in a long call of user code, without running anything. */
    void pass(Duration time) {
        now += time.toNanos();
    }

    /** Runs events until the condition holds. */
    void runUntil(BooleanSupplier condition) {
        int steps = 0;
        while (!condition.getAsBoolean()) {
            if (events.isEmpty() || ++steps > 1_000_000) {
                throw new AssertionError("never happened, after " + steps + " events and " + elapsed());
            }
            runOne();
        }
    }

    /** Runs all events of the given time. */
    void run(Duration time) {
        long end = now + time.toNanos();
        while (!events.isEmpty() && events.peek().at() <= end) {
            runOne();
        }
        now = Math.max(now, end);
    }

    /** How many events have run so far. */
    int executed() {
        return executed;
    }

    /** Runs events until so many have run in all, or none is left. */
    void runUntilExecuted(int count) {
        while (executed < count && !events.isEmpty()) {
            runOne();
        }
    }

    private void runOne() {
        Event next = events.remove();
        executed++;
        now = Math.max(now, next.at());
        next.task().run();
    }
}
