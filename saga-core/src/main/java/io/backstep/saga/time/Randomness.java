package io.backstep.saga.time;

/** Draws for jitter. */
@FunctionalInterface
public interface Randomness {
    /**
     * Draws once.
     *
     * @return at least 0, less than 1
     */
    double next();
}
