package io.backstep.saga.participant;

import io.backstep.saga.test.IdempotencyContract;
import java.time.Duration;
import java.time.Instant;

class InMemoryIdempotencyStoreTest extends IdempotencyContract {
    private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(Instant::now);

    @Override
    protected IdempotencyStore store() {
        return store;
    }

    @Override
    protected void age(String key, Duration by) {
        store.age(key, by);
    }
}
