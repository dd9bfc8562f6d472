package io.backstep.saga.engine;

import io.backstep.saga.store.SagaStoreException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Repeats writes that a database wants repeated, after deadlocks and serialization failures: a few times, each after a little longer, so
 * that the other side may end. On the calling thread.
 */
final class Repeats {
    private static final int MAX_TRIES = 5;
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Node node;

    Repeats(Node node) {
        this.node = node;
    }

    /** Runs work in which everything is rolled back when it throws. */
    <T extends @Nullable Object> T of(Callable<T> work) throws Exception {
        int tries = 1;
        while (true) {
            try {
                return work.call();
            } catch (Exception e) {
                if (!isWorthIt(e) || tries == MAX_TRIES) {
                    throw e;
                }
            }
            pause(tries++);
        }
    }

    /** Whether nothing was written, and the same may be written in a fresh transaction. */
    boolean isWorthIt(Exception failure) {
        boolean inDoubt =
                failure instanceof SagaStoreException store && store.effect() == SagaStoreException.Effect.UNKNOWN;
        return !inDoubt && node.store.isTransient(failure);
    }

    void pause(int tries) {
        node.waits.on(new CompletableFuture<>(), node.spread(PAUSE.multipliedBy(tries)));
    }
}
