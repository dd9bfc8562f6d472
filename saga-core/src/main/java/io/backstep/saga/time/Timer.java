package io.backstep.saga.time;

import java.time.Duration;

/** Runs things later. */
public interface Timer {
    /**
     * Runs a task once, after a delay, never early.
     *
     * @param delay how long to wait; zero or less means as soon as possible
     * @param task short, and never blocking
     * @return to call it off
     */
    Scheduled after(Duration delay, Runnable task);

    /** Something that was scheduled. */
    @FunctionalInterface
    interface Scheduled {
        /** Calls it off, if it has not begun. */
        void cancel();
    }
}
