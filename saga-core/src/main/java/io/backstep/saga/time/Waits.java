package io.backstep.saga.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Blocking at the edge, where a caller has asked for it. */
public interface Waits {
    /**
     * Waits for a signal for a while. An interrupt ends the wait and stays set.
     *
     * @param signal completed when there is nothing to wait for any more
     * @param atMost how long
     * @return false when the thread was interrupted
     */
    boolean on(CompletableFuture<?> signal, Duration atMost);

    /**
     * Waits for a signal, however long it takes and whoever interrupts.
     *
     * @param signal completed when there is nothing to wait for any more, also by a failure
     */
    void until(CompletableFuture<?> signal);
}
