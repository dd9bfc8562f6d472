package io.backstep.saga.jdbc.order;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Tells before and after every write of a saga, so that the process can be killed exactly there. */
final class PausingStore implements SagaStore {
    private final SagaStore store;
    private final IntConsumer before;
    private final IntConsumer after;
    private final AtomicInteger writes = new AtomicInteger();

    PausingStore(SagaStore store, IntConsumer before, IntConsumer after) {
        this.store = store;
        this.before = before;
        this.after = after;
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        int number = next();
        store.insert(batch, (answer, failure) -> {
            after.accept(number);
            callback.done(answer, failure);
        });
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        int number = next();
        store.submit(batch, (answer, failure) -> {
            after.accept(number);
            callback.done(answer, failure);
        });
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        int[] number = {0};
        store.inTransaction(
                () -> {
                    Mutation mutation = work.run();
                    number[0] = next();
                    return mutation;
                },
                (answer, failure) -> {
                    if (number[0] > 0) {
                        after.accept(number[0]);
                    }
                    callback.done(answer, failure);
                });
    }

    private int next() {
        int number = writes.incrementAndGet();
        before.accept(number);
        return number;
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        return store.register(name, version, fingerprint);
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        return store.insertJoined(instance);
    }

    @Override
    public boolean isTransient(Throwable failure) {
        return store.isTransient(failure);
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        store.claim(request, callback);
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
