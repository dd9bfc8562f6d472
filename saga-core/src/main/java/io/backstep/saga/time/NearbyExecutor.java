package io.backstep.saga.time;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task that blocks for a moment on the worker that brings it, while that is the only one and has nothing else to do: to hand it over
 * takes as long as a step that does little, there and back. Else on a pool.
 */
public final class NearbyExecutor implements Executor, AutoCloseable {
    private final Executor workers;
    private final ExecutorService pool;

    /** Who runs a task on a worker has it: one at a time, never one within another, and none after the end. */
    private final Semaphore here = new Semaphore(1);

    /**
     * Makes one.
     *
     * @param workers from {@link SystemPorts#relayed}; on the threads of another executor nothing is run
     * @param pool takes the rest
     */
    public NearbyExecutor(Executor workers, ExecutorService pool) {
        this.workers = workers;
        this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
        if (!isAloneHere() || !here.tryAcquire()) {
            pool.execute(task);
            return;
        }
        try {
            task.run();
        } finally {
            here.release();
        }
    }

    private boolean isAloneHere() {
        return workers instanceof RelayExecutor relay && relay.isAloneHere();
    }

    /** Lets what runs now end, for some seconds; takes nothing more. */
    @Override
    public void close() {
        pool.shutdown();
        try {
            if (here.tryAcquire(SystemPorts.END_SECONDS, TimeUnit.SECONDS)) {
                SystemPorts.end(pool);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
