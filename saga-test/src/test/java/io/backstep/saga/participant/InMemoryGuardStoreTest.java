package io.backstep.saga.participant;

import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.GuardContract;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

class InMemoryGuardStoreTest extends GuardContract {
    private final InMemoryTransactions transactions = new InMemorySagaStore().transactions();
    private final InMemoryGuardStore store = new InMemoryGuardStore(transactions, Instant::now);
    private final Map<String, List<String>> written = new ConcurrentHashMap<>();

    @Override
    protected GuardStore store() {
        return store;
    }

    @Override
    protected Transactions transactions() {
        return transactions;
    }

    @Override
    protected void write(String operationId, String what) {
        transactions.onCommit(() -> written.computeIfAbsent(operationId, unused -> new CopyOnWriteArrayList<>())
                .add(what));
    }

    @Override
    protected List<String> written(String operationId) {
        return written.getOrDefault(operationId, List.of());
    }

    @Override
    protected void age(String operationId, Duration by) {
        store.age(operationId, by);
    }
}
