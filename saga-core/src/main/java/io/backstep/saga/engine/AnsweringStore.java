package io.backstep.saga.engine;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.TransactionalWork;
import io.backstep.saga.store.Written;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store whose every call answers exactly once, also when the store behind it throws instead, and which tells an outage from a single
 * failure of little weight.
 */
final class AnsweringStore extends ForwardingStore {
    private static final Logger log = LoggerFactory.getLogger(AnsweringStore.class);

    /** Somebody else has the row locked. */
    private static final String LOCKED = "SAGA-DB-012";

    private final SagaStore store;
    private final Outage outage;

    AnsweringStore(SagaStore store, Outage outage) {
        super(store);
        this.store = store;
        this.outage = outage;
    }

    /** A failure that says nothing of the store: deadlocks, and locks of others. */
    boolean isHarmless(Throwable failure) {
        return isTransient(failure) || isLocked(failure);
    }

    boolean isLocked(@Nullable Throwable failure) {
        return failure instanceof SagaStoreException known && known.code().equals(LOCKED);
    }

    /** Whether the transaction of some work could begin; null when it did. */
    void noteWork(@Nullable Throwable failure) {
        note(Outage.Kind.WORK, failure);
    }

    private void note(Outage.Kind kind, @Nullable Throwable failure) {
        if (failure == null || isHarmless(failure)) {
            outage.answered(kind);
        } else {
            outage.failed(kind, failure);
        }
    }

    private <T> StoreCallback<T> noted(Outage.Kind kind, StoreCallback<T> callback) {
        return (answer, failure) -> {
            note(kind, failure);
            callback.done(answer, failure);
        };
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

    private <T> void answered(Outage.Kind kind, StoreCallback<T> callback, Consumer<StoreCallback<T>> call) {
        answered(noted(kind, callback), call);
    }

    private static <T> void answered(StoreCallback<T> callback, Consumer<StoreCallback<T>> call) {
        Once<T> once = new Once<>(callback);
        try {
            call.accept(once);
        } catch (Throwable e) {
            once.done(null, e);
        }
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        answered(Outage.Kind.INSERT, callback, once -> store.insert(batch, once));
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        answered(Outage.Kind.SUBMIT, callback, once -> store.submit(batch, once));
    }

    @Override
    public void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
        answered(Outage.Kind.SUBMIT, callback, once -> store.write(mutations, starts, once));
    }

    /** Whoever runs the work knows whether it was the work that failed. */
    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        answered(callback, once -> store.inTransaction(work, once));
    }

    @Override
    public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
        answered(Outage.Kind.LOOK, callback, once -> store.look(owner, definitionIds, once));
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        answered(Outage.Kind.CLAIM, callback, once -> store.claim(request, once));
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        answered(Outage.Kind.CLAIM_ONE, callback, once -> store.claimOne(sagaId, lease, definitionIds, once));
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answered(Outage.Kind.RECOVER, callback, once -> store.recover(held, lease, once));
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        answered(Outage.Kind.RENEW, callback, once -> store.renew(held, lease, once));
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        answered(Outage.Kind.SWEEP, callback, once -> store.sweepMail(owner, definitionIds, once));
    }
}
