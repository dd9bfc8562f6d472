package io.backstep.saga.store;

import org.jspecify.annotations.Nullable;

/**
 * Told what became of a call to the store: exactly one of the two is not null.
 *
 * @param <T> the answer
 */
@FunctionalInterface
public interface StoreCallback<T> {
    /**
     * Called exactly once, on any thread, also before the call that it belongs to has returned. Must not block or throw.
     *
     * @param answer the answer, or null after a failure
     * @param failure why there is no answer: {@link SagaStoreException}, or what the work of a transaction threw
     */
    void done(@Nullable T answer, @Nullable Throwable failure);
}
