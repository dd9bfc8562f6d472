package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.TransactionalWork;
import io.backstep.saga.store.Written;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A store with a failpoint before every write, that tells {@link FailpointDataSource} which call commits. */
final class FailpointStore extends ForwardingStore {
    private final Traps points;
    private final Calls calls;

    FailpointStore(SagaStore store, Traps points, Calls calls) {
        super(store);
        this.points = points;
        this.calls = calls;
    }

    private void own(String name, Runnable call) {
        points.pass(name + ".before", FailpointStore::lost);
        calls.own(name, call);
    }

    private static SagaStoreException lost(String point) {
        return new SagaStoreException("SAGA-DB-005", "injected at " + point, SagaStoreException.Effect.UNKNOWN, null);
    }

    private <T> T answered(String name, Supplier<T> call) {
        AtomicReference<T> answer = new AtomicReference<>();
        own(name, () -> answer.set(call.get()));
        return Objects.requireNonNull(answer.get());
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        return answered("register", () -> super.register(name, version, fingerprint));
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        own("insert", () -> super.insert(batch, callback));
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        own("submit", () -> super.submit(batch, callback));
    }

    /** Which starts come along is chance. */
    @Override
    public void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
        own("submit", () -> super.write(mutations, starts, callback));
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        own("inTransaction", () -> super.inTransaction(work, callback));
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        own("claim", () -> super.claim(request, callback));
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        own("claimOne", () -> super.claimOne(sagaId, lease, definitionIds, callback));
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        own("recover", () -> super.recover(held, lease, callback));
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        own("renew", () -> super.renew(held, lease, callback));
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        own("sweepMail", () -> super.sweepMail(owner, definitionIds, callback));
    }

    @Override
    public Purged purge(PurgeRequest request) {
        return answered("purge", () -> super.purge(request));
    }

    private <T> T joined(String name, Supplier<T> call) {
        points.pass(name + ".before", FailpointStore::lost);
        T answer = call.get();
        calls.joined(name);
        points.pass(name + ".after", FailpointStore::lost);
        return answer;
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        return joined("insertJoined", () -> super.insertJoined(instance));
    }

    @Override
    public boolean post(Mail mail) {
        return joined("post", () -> super.post(mail));
    }

    @Override
    public Operated operate(OperatorWrite write) {
        return joined("operate", () -> super.operate(write));
    }

    @Override
    public boolean audit(AuditEntry entry) {
        return joined("audit", () -> super.audit(entry));
    }
}
