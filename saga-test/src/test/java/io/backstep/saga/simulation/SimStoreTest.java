package io.backstep.saga.simulation;

import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.RowEdits;
import io.backstep.saga.test.SagaStoreContract;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Without faults the simulated store is a store like any other. */
class SimStoreTest extends SagaStoreContract {
    private final Database database = new Database(Instant::now, null);
    private final SimStore store = new SimStore(database);
    private final SimTransactions transactions = new SimTransactions(database);

    @Override
    protected SagaStore store() {
        return store;
    }

    @Override
    protected Transactions transactions() {
        return transactions;
    }

    @Override
    protected void age(UUID sagaId, Duration by) {
        database.kept.edit(sagaId, row -> RowEdits.older(row, by));
    }

    @Override
    protected void corrupt(UUID sagaId, String steps) {
        database.kept.edit(sagaId, row -> RowEdits.withSteps(row, steps));
    }

    @Override
    protected void withRowLocked(UUID sagaId, Runnable meanwhile) {
        database.kept.whileLocked(sagaId, meanwhile);
    }
}
