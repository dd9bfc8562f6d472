package io.backstep.saga.spring;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.TransactionalWork;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** A store that claims nothing until the application is ready. What is started here meanwhile runs: who starts it may wait for it. */
record ClaimGate(SagaStore store, ReadyGate gate) implements SagaStore {
    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        if (gate.isOpen()) {
            store.claim(request, callback);
        } else {
            callback.done(List.of(), null);
        }
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        return store.register(name, version, fingerprint);
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        store.insert(batch, callback);
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        return store.insertJoined(instance);
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        store.submit(batch, callback);
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        store.inTransaction(work, callback);
    }

    @Override
    public boolean isTransient(Throwable failure) {
        return store.isTransient(failure);
    }

    @Override
    public void claimOne(UUID sagaId, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        store.claimOne(sagaId, lease, callback);
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        store.recover(held, lease, callback);
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        store.renew(held, lease, callback);
    }

    @Override
    public Optional<InstanceRow> find(UUID sagaId) {
        return store.find(sagaId);
    }

    @Override
    public Optional<InstanceRow> find(String name, String businessKey) {
        return store.find(name, businessKey);
    }

    @Override
    public List<HistoryRow> history(UUID sagaId) {
        return store.history(sagaId);
    }

    @Override
    public List<CompensationRow> compensations(UUID sagaId) {
        return store.compensations(sagaId);
    }
}
