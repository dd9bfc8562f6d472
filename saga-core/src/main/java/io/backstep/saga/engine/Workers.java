package io.backstep.saga.engine;

import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs user code on the workers' executor, a bounded number at once; the rest queues. A thread whose attempt has ended takes the next
 * one itself: to wake another thread for it would cost as much as a step that does little.
 */
final class Workers {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final ThreadLocal<@Nullable Workers> WORKING_FOR = new ThreadLocal<>();

    private final Executor executor;
    private final Timer timer;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final Slots slots;
    private volatile Runnable whenFree = () -> {};
    private volatile boolean stopped;

    Workers(Executor executor, Timer timer, int limit) {
        this.executor = executor;
        this.timer = timer;
        this.slots = new Slots(limit);
    }

    /** What an executor still rejects after the node's end is not handed to it again. */
    void stop() {
        stopped = true;
    }

    void whenFree(Runnable listener) {
        whenFree = listener;
    }

    /** How many more attempts could begin now. */
    int free() {
        return Math.max(0, slots.free() - queued.get());
    }

    /** Queues an attempt. It must call {@link #done()} exactly once, when it has ended or is given up. */
    void submit(Runnable attempt) {
        queue.add(attempt);
        queued.incrementAndGet();
        fill();
    }

    void done() {
        slots.giveBack();
        if (WORKING_FOR.get() != this) {
            fill();
        }
        whenFree.run();
    }

    private void fill() {
        for (Runnable next = next(); next != null; next = next()) {
            if (!handOver(next)) {
                return;
            }
        }
    }

    /** Takes a free place and what waits longest for one; null when there is no place, or nothing waits. */
    private @Nullable Runnable next() {
        while (!queue.isEmpty() && slots.take()) {
            Runnable next = queue.poll();
            if (next != null) {
                queued.decrementAndGet();
                return next;
            }
            slots.giveBack();
        }
        return null;
    }

    private void work(Runnable first) {
        Workers outer = WORKING_FOR.get();
        WORKING_FOR.set(this);
        try {
            for (Runnable next = first; next != null; next = next()) {
                next.run();
            }
        } finally {
            if (outer == null) {
                WORKING_FOR.remove();
            } else {
                WORKING_FOR.set(outer);
            }
            fill();
        }
    }

    /** An executor of the application's may be full: what it rejects keeps its place among what waits. */
    private boolean handOver(Runnable next) {
        try {
            executor.execute(() -> work(next));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
            queue.add(next);
            queued.incrementAndGet();
            slots.giveBack();
            if (!stopped) {
                log.warn("the workers' executor rejects an attempt; it is handed over again in {}", PAUSE);
                timer.after(PAUSE, this::fill);
            }
            return false;
        }
    }
}
