package io.backstep.saga.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A store that hands every call on to another; who wants something else of some calls extends it. */
public abstract class ForwardingStore implements SagaStore {
    private final SagaStore store;

    /**
     * Makes one.
     *
     * @param store where the calls go
     */
    protected ForwardingStore(SagaStore store) {
        this.store = store;
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        return store.register(name, version, fingerprint);
    }

    @Override
    public List<UnknownDefinition> unknown(List<Integer> definitionIds, int most) {
        return store.unknown(definitionIds, most);
    }

    @Override
    public Map<Integer, Duration> oldest(List<Integer> definitionIds, int most) {
        return store.oldest(definitionIds, most);
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
    public void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
        store.write(mutations, starts, callback);
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
    public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
        store.look(owner, definitionIds, callback);
    }

    @Override
    public Listening listen(Runnable hint) {
        return store.listen(hint);
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        store.claim(request, callback);
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        store.claimOne(sagaId, lease, definitionIds, callback);
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

    @Override
    public List<HistoryRow> history(UUID sagaId, HistoryRow.@Nullable Place after, int limit) {
        return store.history(sagaId, after, limit);
    }

    @Override
    public boolean post(Mail mail) {
        return store.post(mail);
    }

    @Override
    public boolean isPosted(UUID sagaId, String messageId) {
        return store.isPosted(sagaId, messageId);
    }

    @Override
    public Instant now() {
        return store.now();
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        store.sweepMail(owner, definitionIds, callback);
    }

    @Override
    public Optional<Inspected> inspect(UUID sagaId) {
        return store.inspect(sagaId);
    }

    @Override
    public Operated operate(OperatorWrite write) {
        return store.operate(write);
    }

    @Override
    public boolean audit(AuditEntry entry) {
        return store.audit(entry);
    }

    @Override
    public List<AuditRow> audit(AuditQuery query) {
        return store.audit(query);
    }

    @Override
    public List<InstanceSummary> list(ListQuery query) {
        return store.list(query);
    }

    @Override
    public Purged purge(PurgeRequest request) {
        return store.purge(request);
    }
}
