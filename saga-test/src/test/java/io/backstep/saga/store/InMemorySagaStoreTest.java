package io.backstep.saga.store;

import io.backstep.saga.test.RowEdits;
import io.backstep.saga.test.SagaStoreContract;
import java.time.Duration;
import java.util.UUID;

class InMemorySagaStoreTest extends SagaStoreContract {
    private final InMemorySagaStore store = new InMemorySagaStore();

    @Override
    protected SagaStore store() {
        return store;
    }

    @Override
    protected Transactions transactions() {
        return store.transactions();
    }

    @Override
    protected void age(UUID sagaId, Duration by) {
        store.edit(sagaId, row -> RowEdits.older(row, by));
    }

    @Override
    protected void corrupt(UUID sagaId, String steps) {
        store.edit(sagaId, row -> RowEdits.withSteps(row, steps));
    }

    @Override
    protected void withRowLocked(UUID sagaId, Runnable meanwhile) {
        store.whileLocked(sagaId, meanwhile);
    }
}
