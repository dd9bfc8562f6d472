package io.backstep.saga.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocks the calling thread. */
final class ThreadWaits implements Waits {
    @Override
    public boolean on(CompletableFuture<?> signal, Duration atMost) {
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

    @Override
    public void until(CompletableFuture<?> signal) {
        signal.handle((answer, failure) -> signal).join();
    }
}
