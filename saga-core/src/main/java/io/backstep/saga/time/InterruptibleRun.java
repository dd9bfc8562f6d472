package io.backstep.saga.time;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs something on the calling thread that another thread may interrupt, and leaves no interrupt behind. */
public final class InterruptibleRun {
    private static final ThreadLocal<@Nullable InterruptibleRun> HERE = new ThreadLocal<>();

    private @Nullable Thread thread;
    private boolean interrupted;

    /** Whether the calling thread may be interrupted now, by one of these. */
    static boolean isHere() {
        return HERE.get() != null;
    }

    /**
     * Runs the task.
     *
     * @param task what to run
     * @param <T> what it returns
     * @return the same
     */
    public <T extends @Nullable Object> T run(Supplier<T> task) {
        InterruptibleRun outer = HERE.get();
        begin();
        try {
            return task.get();
        } finally {
            end(outer);
        }
    }

    /** Interrupts the task while it runs; does nothing before and after. */
    public synchronized void interrupt() {
        if (thread != null) {
            interrupted = true;
            thread.interrupt();
        }
    }

    /**
     * Takes away an interrupt that the task has on its own thread, so that it disturbs nothing that follows.
     *
     * @return true when there was one that did not come from {@link #interrupt()}
     */
    public synchronized boolean clear() {
        return Thread.interrupted() && !interrupted;
    }

    /**
     * Whether {@link #interrupt()} reached the task.
     *
     * @return true when it did
     */
    public synchronized boolean wasInterrupted() {
        return interrupted;
    }

    /**
     * Where the task stands, for a warning.
     *
     * @return the top of its stack, or nothing when it does not run
     */
    public synchronized String stack() {
        StringBuilder lines = new StringBuilder();
        if (thread != null) {
            StackTraceElement[] stack = thread.getStackTrace();
            for (int i = 0; i < Math.min(stack.length, 15); i++) {
                lines.append("\n    at ").append(stack[i]);
            }
        }
        return lines.toString();
    }

    private synchronized void begin() {
        HERE.set(this);
        thread = Thread.currentThread();
    }

    private synchronized void end(@Nullable InterruptibleRun outer) {
        thread = null;
        Thread.interrupted();
        if (outer == null) {
            HERE.remove();
        } else {
            HERE.set(outer);
        }
    }
}
