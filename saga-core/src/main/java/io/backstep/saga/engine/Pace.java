package io.backstep.saga.engine;

import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Randomness;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How often one kind of call of the store is made. While it works, as often as it is wanted. Once it has failed, the next goes a moment
 * later, for it may have been one connection only; and from then on one each second, until one works. The others wait for that, in order.
 */
final class Pace {
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Timer timer;
    private final Randomness randomness;
    private final MonotonicClock clock;
    private final Predicate<Throwable> harmless;
    private final SerialQueue queue = new SerialQueue();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger size = new AtomicInteger();

    // in the queue only, but for looks
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private volatile boolean trying;
    private volatile boolean resting;
    private volatile @Nullable Throwable lastFailure;

    /**
     * Makes one, open.
     *
     * @param timer for the next try
     * @param randomness for its jitter
     * @param clock tells slow failures
     * @param harmless whether the store is well although a call has failed
     */
    Pace(Timer timer, Randomness randomness, MonotonicClock clock, Predicate<Throwable> harmless) {
        this.timer = timer;
        this.randomness = randomness;
        this.clock = clock;
        this.harmless = harmless;
    }

    /** Runs it when it may call; whoever was let in tells {@link #answered} or {@link #unused}. */
    void enter(Runnable call) {
        if (isOpen()) {
            call.run();
        } else {
            size.incrementAndGet();
            queue.run(() -> {
                waiting.add(call);
                next();
            });
        }
    }

    boolean isOpen() {
        return failures.get() == 0;
    }

    /** Whether it surely fails, and nobody may try now. */
    boolean isShut() {
        return failures.get() > 1 && (trying || resting);
    }

    /** How many wait. */
    int waiting() {
        return size.get();
    }

    long now() {
        return clock.nanos();
    }

    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    /** What became of a call; null for an answer. */
    void answered(long sentNanos, @Nullable Throwable failure) {
        if (failure != null && !harmless.test(failure)) {
            failed(sentNanos, failure);
        } else if (!isOpen()) {
            queue.run(() -> {
                failures.set(0);
                trying = false;
                next();
            });
        }
    }

    /** It was let in and did not call after all. */
    void unused() {
        if (!isOpen()) {
            queue.run(() -> {
                trying = false;
                next();
            });
        }
    }

    /** A failure that took its time is an outage at once. */
    private void failed(long sentNanos, Throwable failure) {
        boolean slow = clock.nanos() - sentNanos >= SECOND.toNanos();
        lastFailure = failure;
        queue.run(() -> {
            failures.addAndGet(slow ? 2 : 1);
            trying = false;
            if (!resting) {
                rest(failures.get() == 1 ? MOMENT : SECOND);
            }
        });
    }

    private void rest(Duration atLeast) {
        resting = true;
        timer.after(
                spread(atLeast),
                () -> queue.run(() -> {
                    resting = false;
                    next();
                }));
    }

    /** Up to a half longer: many nodes wait for the same store. */
    private Duration spread(Duration atLeast) {
        return atLeast.plusNanos((long) (atLeast.toNanos() * 0.5 * randomness.next()));
    }

    private void next() {
        if (isOpen()) {
            List<Runnable> all = List.copyOf(waiting);
            waiting.clear();
            size.addAndGet(-all.size());
            all.forEach(Runnable::run);
        } else if (!resting && !trying && !waiting.isEmpty()) {
            trying = true;
            size.decrementAndGet();
            waiting.remove().run();
        }
    }
}
