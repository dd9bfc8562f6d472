package io.backstep.saga.time;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The production adapters of the ports, and the engine's own threads. All threads are daemons. */
public final class SystemPorts implements AutoCloseable {
    private static final AtomicLong LAST_ID = new AtomicLong();
    static final long END_SECONDS = 2;

    private final ScheduledThreadPoolExecutor timer;
    private final String name;

    /**
     * Makes the timer thread.
     *
     * @param name begins the names of all threads
     */
    public SystemPorts(String name) {
        this.name = name;
        this.timer = new ScheduledThreadPoolExecutor(1, named(name + "-timer"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * The JVM's monotonic clock.
     *
     * @return the clock
     */
    public static MonotonicClock clock() {
        return System::nanoTime;
    }

    /**
     * Ids of version 7: milliseconds, then a counter within them, then random bits.
     *
     * @return the source of ids
     */
    public static Ids ids() {
        return SystemPorts::nextId;
    }

    /**
     * Draws that are good enough for jitter.
     *
     * @return the source of draws
     */
    public static Randomness randomness() {
        return () -> ThreadLocalRandom.current().nextDouble();
    }

    /**
     * Waits that block the calling thread.
     *
     * @return the waits
     */
    public static Waits waits() {
        return new ThreadWaits();
    }

    /**
     * A timer on one thread.
     *
     * @return the timer
     */
    public Timer timer() {
        return this::after;
    }

    /**
     * A pool of a fixed number of threads.
     *
     * @param role ends the names of its threads
     * @param threads how many
     * @return the pool
     */
    public ExecutorService pool(String role, int threads) {
        ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(threads, named(name + "-" + role));
        pool.setKeepAliveTime(10, TimeUnit.SECONDS);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * A pool that grows as needed: for tasks that are counted elsewhere, and may hang.
     *
     * @param role ends the names of its threads
     * @return the pool
     */
    public ExecutorService growingPool(String role) {
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), named(name + "-" + role));
    }

    /**
     * Runs tasks on the threads of a pool and wakes few of them: for many short tasks.
     *
     * @param pool one that grows as needed
     * @return an executor that rejects what the pool rejects
     */
    public static Executor relayed(Executor pool) {
        return new RelayExecutor(pool);
    }

    /**
     * Lets a pool run out: what it does now may end, lest a connection pool is closed under it.
     *
     * @param pool one of this class, takes nothing more
     */
    public static void end(ExecutorService pool) {
        pool.shutdown();
        try {
            pool.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops the timer; what has not begun never does. */
    @Override
    public void close() {
        timer.shutdownNow();
    }

    private Timer.Scheduled after(Duration delay, Runnable task) {
        if (timer.isShutdown()) {
            return () -> {};
        }
        ScheduledFuture<?> future = timer.schedule(task, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private static UUID nextId() {
        long now = System.currentTimeMillis() << 12;
        long stamp = LAST_ID.updateAndGet(last -> Math.max(last + 1, now));
        long high = (stamp >>> 12 << 16) | 0x7000L | (stamp & 0xfffL);
        long low = (ThreadLocalRandom.current().nextLong() >>> 2) | 0x8000000000000000L;
        return new UUID(high, low);
    }

    private static ThreadFactory named(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * An executor that runs each task at once, on the calling thread.
     *
     * @return the executor
     */
    public static Executor direct() {
        return Runnable::run;
    }
}
