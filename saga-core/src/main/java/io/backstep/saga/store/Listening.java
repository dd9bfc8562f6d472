package io.backstep.saga.store;

/** Goes on until it is closed. Safe for use by many threads. */
public interface Listening extends AutoCloseable {
    /** Ends it; does nothing when it has ended. A hint that is under way may still come. */
    @Override
    void close();
}
