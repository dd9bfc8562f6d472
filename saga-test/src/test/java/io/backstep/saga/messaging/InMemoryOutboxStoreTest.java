package io.backstep.saga.messaging;

import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.OutboxContract;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

class InMemoryOutboxStoreTest extends OutboxContract {
    private final InMemoryTransactions transactions = new InMemorySagaStore().transactions();
    private InMemoryOutboxStore store = new InMemoryOutboxStore(transactions, Instant::now);

    @Override
    protected OutboxStore store() {
        return store;
    }

    @Override
    protected Transactions transactions() {
        return transactions;
    }

    @Override
    protected void reset() {
        store = new InMemoryOutboxStore(transactions, Instant::now);
    }

    @Override
    protected void age(UUID id, Duration by) {
        store.age(id, by);
    }

    @Override
    protected void ageLease(int lane, Duration by) {
        store.ageLease(lane, by);
    }
}
