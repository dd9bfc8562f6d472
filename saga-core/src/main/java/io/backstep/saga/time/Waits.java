package io.backstep.saga.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocking at the edge, where a caller has asked for it. */
public final class Waits {
    private Waits() {}

    /**
     * Waits for a signal. An interrupt ends the wait and stays set.
     *
     * @param signal completed when there is nothing to wait for any more
     * @param atMost how long
     * @return false when the thread was interrupted
     */
    public static boolean on(CompletableFuture<?> signal, Duration atMost) {
        try {
            signal.get(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return true;
        }
    }
}
