package io.backstep.saga.time;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks on the threads of a pool, and wakes only one of them at a time: to wake a thread costs more than a short task does. One
 * that has woken takes a task, wakes the next if there are more, and goes on until nothing is left. Short tasks are so done by few
 * threads; long ones have as many as they need a moment later.
 */
final class RelayExecutor implements Executor {
    private static final Logger log = LoggerFactory.getLogger(RelayExecutor.class);

    private static final ThreadLocal<@Nullable RelayExecutor> WORKS_FOR = new ThreadLocal<>();

    private final Executor threads;
    private final AtomicInteger working = new AtomicInteger();
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();

    /** A thread was asked for that has not looked into the queue yet. */
    private final AtomicBoolean waking = new AtomicBoolean();

    /**
     * Over some threads.
     *
     * @param threads begins each task at once, on a thread of its own
     */
    RelayExecutor(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        queue.add(task);
        try {
            wakeOne();
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
            if (queue.remove(task)) {
                throw e;
            } // else a thread that works already has taken it
        }
    }

    private void wakeOne() {
        if (!queue.isEmpty() && waking.compareAndSet(false, true)) {
            try {
                threads.execute(this::work);
            } catch (Throwable e) {
                waking.set(false);
                throw e;
            }
        }
    }

    /** Whether the calling thread is the only one that works, nothing waits for it, and nobody may interrupt it. */
    boolean isAloneHere() {
        return WORKS_FOR.get() == this && working.get() == 1 && queue.isEmpty() && !InterruptibleRun.isHere();
    }

    private void work() {
        working.incrementAndGet();
        WORKS_FOR.set(this);
        Runnable next = queue.poll();
        waking.set(false);
        wakeAnother();
        for (; next != null; next = queue.poll()) {
            run(next);
        }
        WORKS_FOR.remove();
        working.decrementAndGet();
    }

    private void wakeAnother() {
        try {
            wakeOne();
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            log.debug("no thread more; this one goes on until nothing is left");
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            log.error("SAGA-ENGINE-006: a part of the engine failed", e);
        }
    }
}
