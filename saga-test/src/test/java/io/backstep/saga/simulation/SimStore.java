package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Network.Fate;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.Listening;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.TransactionalWork;
import io.backstep.saga.store.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A node's way to the database. What the engine is told, and what the tables have, may differ. */
final class SimStore extends ForwardingStore {
    private final Database database;
    private final AsyncCalls calls;
    private final JoinedCalls joined;
    private final WorkCall work;
    private final SubmitCall submits;

    SimStore(Database database) {
        super(database.kept);
        this.database = database;
        this.calls = new AsyncCalls(database);
        this.joined = new JoinedCalls(database);
        this.work = new WorkCall(database);
        this.submits = new SubmitCall(database, calls);
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        requireThere();
        return super.register(name, version, fingerprint);
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        calls.send(
                true,
                callback,
                answer -> joined.insert(batch, List.of(), answer),
                answer -> joined.insertLocked(batch, answer));
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        submits.run(batch, callback, super::submit);
    }

    @Override
    public void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
        AtomicReference<List<InsertResult>> inserted = new AtomicReference<>();
        submits.run(
                mutations,
                (answers, failure) -> callback.done(Written.of(answers, inserted.get()), failure),
                (fine, told) -> {
                    joined.insert(starts, List.of(), (results, failure) -> inserted.set(results));
                    super.submit(fine, told);
                });
        if (database.world != null) {
            database.world.tally.reach(Goal.BATCH_OF_BOTH);
        }
    }

    @Override
    public void inTransaction(TransactionalWork user, StoreCallback<Acceptance> callback) {
        work.run(user, callback, super::inTransaction);
    }

    @Override
    public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
        calls.send(true, callback, answer -> database.onTables(() -> super.look(owner, definitionIds, answer)), null);
    }

    @Override
    public Listening listen(Runnable hint) {
        World world = database.world;
        return world == null ? super.listen(hint) : world.hints.listen(LoopThread.nodeHere(), hint);
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        calls.send(
                true,
                callback,
                answer -> database.onTables(() -> super.claim(request, (claimed, failure) -> {
                    database.commits.looked(request);
                    if (claimed != null) {
                        claimed.forEach(one -> database.commits.claimed(
                                one.row().sagaId(), request.lease().owner()));
                    }
                    answer.done(claimed, failure);
                })),
                null);
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        calls.send(
                true,
                callback,
                answer -> database.onTables(() -> super.claimOne(sagaId, lease, definitionIds, (claimed, failure) -> {
                    if (claimed != null && claimed.isPresent()) {
                        database.commits.claimed(sagaId, lease.owner());
                    }
                    answer.done(claimed, failure);
                })),
                null);
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        calls.send(
                true,
                callback,
                answer -> calls.whenFree(
                        held.sagaId(),
                        answer,
                        () -> super.recover(held, lease, (claimed, failure) -> {
                            if (claimed != null && claimed.isPresent()) {
                                database.commits.recovered(held.sagaId(), lease.owner());
                            }
                            answer.done(claimed, failure);
                        })),
                null);
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        calls.send(
                true,
                callback,
                answer -> database.onTables(() -> super.renew(held, lease, (renewed, failure) -> {
                    if (renewed != null) {
                        renewed.forEach(database.commits::renewed);
                    }
                    answer.done(renewed, failure);
                })),
                null);
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        calls.send(
                true,
                callback,
                answer -> database.onTables(() -> super.sweepMail(owner, definitionIds, (found, failure) -> {
                    database.commits.hastened();
                    if (found != null && !found.mail().isEmpty()) {
                        database.commits.swept(found.mail());
                    }
                    answer.done(found, failure);
                })),
                null);
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        requireThere();
        return joined.insertJoined(instance);
    }

    @Override
    public boolean post(Mail mail) {
        requireThere();
        boolean posted = joined.post(mail);
        hint();
        return posted;
    }

    @Override
    public Operated operate(OperatorWrite write) {
        requireThere();
        Operated operated = joined.operate(write);
        hint();
        return operated;
    }

    @Override
    public boolean audit(AuditEntry entry) {
        requireThere();
        return joined.audit(entry);
    }

    @Override
    public Purged purge(PurgeRequest request) {
        List<Purged> done = new ArrayList<>();
        Consumer<StoreCallback<Purged>> real = answer -> database.onTables(() -> {
            done.add(super.purge(request));
            database.commits.purged();
        });
        Fate fate = requireThere();
        if (fate == Fate.REQUEST_LOST) {
            throw SimFailure.inDoubt();
        }
        real.accept((answer, failure) -> {});
        if (fate == Fate.ANSWER_LOST) {
            throw SimFailure.inDoubt();
        }
        return done.get(0);
    }

    @Override
    public Optional<InstanceRow> find(UUID sagaId) {
        return read(() -> super.find(sagaId));
    }

    @Override
    public Optional<InstanceRow> find(String name, String businessKey) {
        return read(() -> super.find(name, businessKey));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId) {
        return read(() -> super.history(sagaId));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId, HistoryRow.@Nullable Place after, int limit) {
        return read(() -> super.history(sagaId, after, limit));
    }

    /** What an operator has read may be old when the write comes. */
    @Override
    public Optional<Inspected> inspect(UUID sagaId) {
        Optional<Inspected> seen = read(() -> super.inspect(sagaId));
        World world = database.world;
        if (world != null && LoopThread.nodeHere() != null) {
            world.network.thinks();
        }
        return seen;
    }

    @Override
    public List<AuditRow> audit(AuditQuery query) {
        return read(() -> super.audit(query));
    }

    @Override
    public List<InstanceSummary> list(ListQuery query) {
        return read(() -> super.list(query));
    }

    private void hint() {
        if (database.world != null) {
            database.world.hints.written();
        }
    }

    private <T> T read(Supplier<T> query) {
        requireThere();
        return query.get();
    }

    private Fate requireThere() {
        World world = database.world;
        if (world == null) {
            return Fate.FINE;
        }
        Fate fate = world.network.fate(false, false);
        if (database.away() || fate == Fate.REFUSED || fate == Fate.TRANSIENT) {
            throw SimFailure.refused();
        }
        return fate;
    }
}
