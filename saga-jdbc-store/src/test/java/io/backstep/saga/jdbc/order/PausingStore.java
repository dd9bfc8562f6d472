package io.backstep.saga.jdbc.order;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.TransactionalWork;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Tells before and after every write of a saga, so that the process can be killed exactly there. */
final class PausingStore extends ForwardingStore {
    private final IntConsumer before;
    private final IntConsumer after;
    private final AtomicInteger writes = new AtomicInteger();

    PausingStore(SagaStore store, IntConsumer before, IntConsumer after) {
        super(store);
        this.before = before;
        this.after = after;
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        int number = next();
        super.insert(batch, (answer, failure) -> {
            after.accept(number);
            callback.done(answer, failure);
        });
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        int number = next();
        super.submit(batch, (answer, failure) -> {
            after.accept(number);
            callback.done(answer, failure);
        });
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        int[] number = {0};
        super.inTransaction(
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
}
