package io.backstep.saga.time;

/** Time that only goes forward. Good for measuring; its zero means nothing. */
@FunctionalInterface
public interface MonotonicClock {
    /**
     * Reads the clock.
     *
     * @return nanoseconds since an arbitrary moment
     */
    long nanos();
}
