package io.backstep.saga.test;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for a condition. */
final class Waiting {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Waiting() {}

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
