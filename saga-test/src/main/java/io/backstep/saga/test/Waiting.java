package io.backstep.saga.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for a condition. */
final class Waiting {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(200);

    private Waiting() {}

    /** Gives something that must not end yet a chance to end all the same. */
    static void aMomentFor(CompletableFuture<?> wrong) {
        long begin = System.nanoTime();
        while (!wrong.isDone() && System.nanoTime() - begin < MOMENT.toNanos()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    static <T> T until(Supplier<T> look, Predicate<T> enough) {
        long begin = System.nanoTime();
        T seen = look.get();
        while (!enough.test(seen)) {
            if (System.nanoTime() - begin > PATIENCE.toNanos()) {
                throw new AssertionError("not within " + PATIENCE + "; last seen: " + seen);
            }
            LockSupport.parkNanos(1_000_000);
            seen = look.get();
        }
        return seen;
    }
}
