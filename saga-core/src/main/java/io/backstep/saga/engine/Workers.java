package io.backstep.saga.engine;

import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs user code on the workers' executor, a bounded number at once; the rest queues. */
final class Workers {
    private static final Logger log = LoggerFactory.getLogger(Workers.class);
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Executor executor;
    private final Timer timer;
    private final int limit;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private volatile Runnable whenFree = () -> {};
    private volatile boolean stopped;

    Workers(Executor executor, Timer timer, int limit) {
        this.executor = executor;
        this.timer = timer;
        this.limit = limit;
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
        return Math.max(0, limit - running.get() - queued.get());
    }

    /** Queues an attempt. It must call {@link #done()} exactly once, when it has ended or is given up. */
    void submit(Runnable attempt) {
        queue.add(attempt);
        queued.incrementAndGet();
        fill();
    }

    void done() {
        running.decrementAndGet();
        fill();
        whenFree.run();
    }

    private void fill() {
        while (!queue.isEmpty() && enter()) {
            Runnable next = queue.poll();
            if (next == null) {
                running.decrementAndGet();
            } else {
                queued.decrementAndGet();
                if (!handOver(next)) {
                    return;
                }
            }
        }
    }

    /** An executor of the application's may be full: what it rejects keeps its place among what waits. */
    private boolean handOver(Runnable next) {
        try {
            executor.execute(next);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
            queue.add(next);
            queued.incrementAndGet();
            running.decrementAndGet();
            if (!stopped) {
                log.warn("the workers' executor rejects an attempt; it is handed over again in {}", PAUSE);
                timer.after(PAUSE, this::fill);
            }
            return false;
        }
    }

    private boolean enter() {
        int now = running.get();
        while (now < limit) {
            if (running.compareAndSet(now, now + 1)) {
                return true;
            }
            now = running.get();
        }
        return false;
    }
}
