package io.backstep.saga.test;

import io.backstep.saga.store.StoreCallback;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a callback was told. */
record Answer<T>(@Nullable T answer, @Nullable Throwable failure) {
    private static final long PATIENCE_SECONDS = 60;

    /** Calls the store, and waits until the callback was told; more than once is an error. */
    static <T> Answer<T> of(Consumer<StoreCallback<T>> call) {
        CompletableFuture<Answer<T>> told = new CompletableFuture<>();
        AtomicInteger times = new AtomicInteger();
        call.accept((answer, failure) -> {
            times.incrementAndGet();
            told.complete(new Answer<>(answer, failure));
        });
        Answer<T> first = await(told);
        if (times.get() != 1 || (first.answer == null) == (first.failure == null)) {
            throw new AssertionError("the callback was told " + times + " times, first " + first);
        }
        return first;
    }

    T orThrow() {
        if (failure != null) {
            throw new AssertionError("the call failed", failure);
        }
        return Objects.requireNonNull(answer);
    }

    static <V> V await(CompletableFuture<V> future) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no answer in time", e);
        }
    }
}
