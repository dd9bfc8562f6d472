package io.backstep.saga.engine;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Listening;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.TransactionalWork;
import io.backstep.saga.store.Written;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The in-memory store, with what may go wrong on the way to a database and back. */
final class FaultyStore extends ForwardingStore {
    enum Fault {
        /** Nothing happened. */
        NONE,
        /** Certainly not applied. */
        REFUSED_CONNECTION,
        /** Applied, but the answer is lost. */
        APPLIED_IN_DOUBT,
        /** Not applied, and nobody knows. */
        LOST_IN_DOUBT,
        /** Not applied: somebody else's transaction came first. */
        DEADLOCK,
        /** A recovery that waited in vain for somebody else. */
        LOCKED,
        /** The store throws instead of answering. */
        THROWN,
        /** The database refuses the data of the row. */
        ROW_REFUSED,
        /** Somebody else has the row locked. */
        ROW_LOCKED
    }

    enum Call {
        INSERT,
        SUBMIT,
        TRANSACTION,
        LOOK,
        CLAIM,
        CLAIM_ONE,
        RECOVER,
        RENEW,
        SWEEP,
        REGISTER,
        PURGE
    }

    final InMemorySagaStore kept;
    /** All mutations that came in, by submit or in a transaction, in order. */
    final List<Mutation> mutations = new ArrayList<>();
    /** How often each was called. */
    final Map<Call, Integer> calls = new EnumMap<>(Call.class);

    /** Of the nodes that listen. */
    final List<Runnable> hints = new ArrayList<>();

    private final Map<Call, Queue<Fault>> faults = new EnumMap<>(Call.class);
    /** While set, nothing can be reached. */
    boolean away;

    /** When it comes to 0 by a call, nothing can be reached any more. */
    int callsLeft;

    boolean auditAway;
    boolean renewAway;

    /** Runs once, between an operator's look at the audit and at the saga. */
    Runnable beforeInspect = () -> {};

    /** Told of each purge; what it throws the store throws. */
    Consumer<PurgeRequest> onPurge = request -> {};
    /** The saga whose writes are all refused. */
    @Nullable
    UUID refused;
    /** Each flush that has this saga's row in it fails as a whole. */
    @Nullable
    UUID poison;
    /** What the work throws in a transaction is wrapped with this effect, as careless stores do. */
    @Nullable
    Effect wrapping;
    /** Where answers are given. */
    Executor answers = Runnable::run;

    FaultyStore(InMemorySagaStore kept) {
        super(kept);
        this.kept = kept;
    }

    /** The next calls of this kind have these faults, in order. */
    void next(Call call, Fault... ofThese) {
        faults.computeIfAbsent(call, kind -> new ArrayDeque<>()).addAll(List.of(ofThese));
    }

    /** No more faults. */
    void heal() {
        faults.clear();
    }

    /** No fault is left over. */
    boolean exhausted() {
        return faults.values().stream().allMatch(Queue::isEmpty);
    }

    int count(Call call) {
        return calls.getOrDefault(call, 0);
    }

    private <T> void pass(Call call, StoreCallback<T> direct, Consumer<StoreCallback<T>> real) {
        StoreCallback<T> callback = (answer, failure) -> answers.execute(() -> direct.done(answer, failure));
        calls.merge(call, 1, Integer::sum);
        away |= callsLeft > 0 && --callsLeft == 0;
        Fault fault = away
                ? Fault.REFUSED_CONNECTION
                : faults.getOrDefault(call, new ArrayDeque<>()).poll();
        switch (fault == null ? Fault.NONE : fault) {
            case REFUSED_CONNECTION -> callback.done(null, failure(Effect.NONE));
            case LOST_IN_DOUBT -> callback.done(null, failure(Effect.UNKNOWN));
            case DEADLOCK -> callback.done(null, deadlock());
            case LOCKED -> callback.done(null, new SagaStoreException("SAGA-DB-012", "locked", Effect.NONE, null));
            case APPLIED_IN_DOUBT -> real.accept((answer, failure) -> callback.done(null, failure(Effect.UNKNOWN)));
            case THROWN -> throw new IllegalStateException("the store is broken");
            default -> real.accept(callback);
        }
    }

    static SagaStoreException deadlock() {
        return new SagaStoreException("SAGA-DB-902", "injected, a deadlock", Effect.NONE, null);
    }

    static SagaStoreException failure(Effect effect) {
        return new SagaStoreException("SAGA-DB-001", "injected, effect " + effect, effect, null);
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        Queue<Fault> queue = faults.getOrDefault(Call.INSERT, new ArrayDeque<>());
        if (!away && queue.peek() == Fault.ROW_LOCKED) {
            queue.remove();
            calls.merge(Call.INSERT, 1, Integer::sum);
            InsertResult locked = new InsertResult(InsertResult.Kind.LOCKED, null, null);
            callback.done(batch.stream().map(row -> locked).toList(), null);
            return;
        }
        pass(Call.INSERT, callback, next -> kept.insert(batch, next));
    }

    /** Of the calls that block. */
    private <T> T passed(Call call, Supplier<T> real) {
        calls.merge(call, 1, Integer::sum);
        Fault fault = faults.getOrDefault(call, new ArrayDeque<>()).poll();
        if (away || fault == Fault.REFUSED_CONNECTION) {
            throw failure(Effect.NONE);
        }
        if (fault == Fault.DEADLOCK) {
            throw deadlock();
        }
        if (fault == Fault.LOST_IN_DOUBT) {
            throw failure(Effect.UNKNOWN);
        }
        T answer = real.get();
        if (fault == Fault.APPLIED_IN_DOUBT) {
            throw failure(Effect.UNKNOWN);
        }
        return answer;
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        return passed(Call.REGISTER, () -> kept.register(name, version, fingerprint));
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        if (away) {
            throw failure(Effect.NONE);
        }
        return kept.insertJoined(instance);
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        mutations.addAll(batch);
        if (batch.stream().anyMatch(write -> write.fence().sagaId().equals(poison))) {
            callback.done(null, failure(Effect.NONE));
            return;
        }
        Queue<Fault> queue = faults.getOrDefault(Call.SUBMIT, new ArrayDeque<>());
        Fault row = queue.peek();
        boolean thisOne = refused != null && batch.get(0).fence().sagaId().equals(refused);
        if (!away && (row == Fault.ROW_REFUSED || row == Fault.ROW_LOCKED || thisOne)) {
            calls.merge(Call.SUBMIT, 1, Integer::sum);
            if (!thisOne) {
                queue.remove();
            }
            Acceptance answer = row == Fault.ROW_LOCKED
                    ? Acceptance.LOCKED
                    : new Acceptance(Acceptance.Kind.REFUSED, new IllegalArgumentException("bad data"));
            callback.done(batch.stream().map(mutation -> answer).toList(), null);
        } else {
            pass(Call.SUBMIT, callback, next -> kept.submit(batch, next));
        }
    }

    /** A fault of one of both kinds is one of all. */
    @Override
    public void write(List<Mutation> batch, List<NewInstance> starts, StoreCallback<Written> callback) {
        submit(batch, (accepted, failure) -> {
            if (accepted == null) {
                callback.done(null, failure);
            } else {
                insert(starts, (inserted, later) -> callback.done(Written.of(accepted, inserted), later));
            }
        });
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> direct) {
        StoreCallback<Acceptance> callback = wrapping == null
                ? direct
                : (answer, failure) -> direct.done(
                        answer,
                        failure == null ? null : new SagaStoreException("SAGA-DB-001", "wrapped", wrapping, failure));
        Fault next = faults.getOrDefault(Call.TRANSACTION, new ArrayDeque<>()).peek();
        if (!away && (next == Fault.LOST_IN_DOUBT || next == Fault.ROW_LOCKED || next == Fault.ROW_REFUSED)) {
            faults.getOrDefault(Call.TRANSACTION, new ArrayDeque<>()).remove();
            calls.merge(Call.TRANSACTION, 1, Integer::sum);
            rolledBackAfter(work, next, callback);
            return;
        }
        pass(
                Call.TRANSACTION,
                callback,
                passed -> kept.inTransaction(
                        () -> {
                            Mutation mutation = work.run();
                            mutations.add(mutation);
                            return mutation;
                        },
                        passed));
    }

    private void rolledBackAfter(TransactionalWork work, Fault fault, StoreCallback<Acceptance> callback) {
        SagaStoreException rollback = failure(Effect.UNKNOWN);
        kept.inTransaction(
                () -> {
                    work.run();
                    throw rollback;
                },
                (answer, failure) -> {
                    if (failure != rollback || fault == Fault.LOST_IN_DOUBT) {
                        callback.done(answer, failure);
                    } else if (fault == Fault.ROW_LOCKED) {
                        callback.done(Acceptance.LOCKED, null);
                    } else {
                        callback.done(new Acceptance(Acceptance.Kind.REFUSED, rollback), null);
                    }
                });
    }

    @Override
    public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
        pass(Call.LOOK, callback, next -> kept.look(owner, definitionIds, next));
    }

    @Override
    public Listening listen(Runnable hint) {
        hints.add(hint);
        return () -> hints.remove(hint);
    }

    /** As if another node had written something. */
    void hint() {
        List.copyOf(hints).forEach(Runnable::run);
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        pass(Call.CLAIM, callback, next -> kept.claim(request, next));
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        pass(Call.CLAIM_ONE, callback, next -> kept.claimOne(sagaId, lease, definitionIds, next));
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        pass(Call.RECOVER, callback, next -> kept.recover(held, lease, next));
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        if (renewAway) {
            callback.done(null, failure(Effect.NONE));
            return;
        }
        pass(Call.RENEW, callback, next -> kept.renew(held, lease, next));
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        pass(Call.SWEEP, callback, next -> kept.sweepMail(owner, definitionIds, next));
    }

    @Override
    public boolean audit(AuditEntry entry) {
        if (auditAway) {
            throw new SagaStoreException("SAGA-DB-001", "the audit is away", Effect.NONE, null);
        }
        return super.audit(entry);
    }

    @Override
    public Purged purge(PurgeRequest request) {
        onPurge.accept(request);
        return passed(Call.PURGE, () -> kept.purge(request));
    }

    @Override
    public Optional<Inspected> inspect(UUID sagaId) {
        Runnable before = beforeInspect;
        beforeInspect = () -> {};
        before.run();
        return super.inspect(sagaId);
    }
}
