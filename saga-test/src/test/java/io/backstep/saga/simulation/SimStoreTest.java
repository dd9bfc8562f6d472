package io.backstep.saga.simulation;

import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.SagaStoreContract;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

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
        database.kept.edit(
                sagaId,
                row -> with(
                        row,
                        row.steps(),
                        back(row.dueAt(), by),
                        back(row.deadline(), by),
                        row.createdAt().minus(by),
                        row.updatedAt().minus(by)));
    }

    @Override
    protected void corrupt(UUID sagaId, String steps) {
        database.kept.edit(
                sagaId, row -> with(row, steps, row.dueAt(), row.deadline(), row.createdAt(), row.updatedAt()));
    }

    @Override
    protected void withRowLocked(UUID sagaId, Runnable meanwhile) {
        database.kept.whileLocked(sagaId, meanwhile);
    }

    private static @Nullable Instant back(@Nullable Instant instant, Duration by) {
        return instant == null ? null : instant.minus(by);
    }

    private static InstanceRow with(
            InstanceRow row,
            String steps,
            @Nullable Instant dueAt,
            @Nullable Instant deadline,
            Instant createdAt,
            Instant updatedAt) {
        return new InstanceRow(
                row.sagaId(),
                row.definitionId(),
                row.name(),
                row.version(),
                row.businessKey(),
                row.inputHash(),
                row.status(),
                row.reason(),
                steps,
                row.input(),
                row.format(),
                row.epoch(),
                row.seq(),
                row.owner(),
                dueAt,
                deadline,
                createdAt,
                updatedAt);
    }
}
