package io.backstep.saga.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs user code on the workers' executor, a bounded number at once; the rest queues. */
final class Workers {
    private final Executor executor;
    private final int limit;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private volatile Runnable whenFree = () -> {};

    Workers(Executor executor, int limit) {
        this.executor = executor;
        this.limit = limit;
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
                executor.execute(next);
            }
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
