package io.backstep.saga.engine;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.TransactionalWork;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A store whose every call answers exactly once, also when the store behind it throws instead. */
final class AnsweringStore extends ForwardingStore {
    private static final Logger log = LoggerFactory.getLogger(AnsweringStore.class);

    private final SagaStore store;

    AnsweringStore(SagaStore store) {
        super(store);
        this.store = store;
    }

    private static final class Once<T> implements StoreCallback<T> {
        private final StoreCallback<T> callback;
        private final AtomicBoolean answered = new AtomicBoolean();

        private Once(StoreCallback<T> callback) {
            this.callback = callback;
        }

        @Override
        public void done(@Nullable T answer, @Nullable Throwable failure) {
            if (answered.compareAndSet(false, true)) {
                callback.done(answer, failure);
            } else {
                log.error("SAGA-ENGINE-004: the store answered a second time; the first answer counts", failure);
            }
        }
    }

    private static <T> void answered(StoreCallback<T> callback, Consumer<StoreCallback<T>> call) {
        Once<T> once = new Once<>(callback);
        try {
            call.accept(once);
        } catch (RuntimeException | Error e) {
            once.done(null, e);
        }
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        answered(callback, once -> store.insert(batch, once));
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        answered(callback, once -> store.submit(batch, once));
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        answered(callback, once -> store.inTransaction(work, once));
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        answered(callback, once -> store.claim(request, once));
    }

    @Override
    public void claimOne(UUID sagaId, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answered(callback, once -> store.claimOne(sagaId, lease, once));
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answered(callback, once -> store.recover(held, lease, once));
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        answered(callback, once -> store.renew(held, lease, once));
    }

    @Override
    public void sweepMail(String owner, StoreCallback<List<Mail>> callback) {
        answered(callback, once -> store.sweepMail(owner, once));
    }
}
