package io.backstep.saga.jdbc;

import io.backstep.saga.store.StoreCallback;
import java.util.Objects;
import java.util.function.Consumer;

/** What the callback of a blocking store was told. */
record Told<T>(T answer, Throwable failure) {
    static <T> Told<T> by(Consumer<StoreCallback<T>> call) {
        Object[] told = new Object[1];
        call.accept((answer, failure) -> told[0] = new Told<>(answer, failure));
        @SuppressWarnings("unchecked") // the only one who writes it is the callback
        Told<T> result = (Told<T>) Objects.requireNonNull(told[0], "not told");
        return result;
    }

    static <T> T ok(Consumer<StoreCallback<T>> call) {
        Told<T> told = by(call);
        if (told.failure != null) {
            throw new AssertionError("the call failed", told.failure);
        }
        return told.answer;
    }
}
