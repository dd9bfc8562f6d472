package io.backstep.saga.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The reference store: keeps sagas in memory, for tests. Nothing survives the process. Behaves as a database with READ COMMITTED:
 * what a transaction inserted is seen by others only after its commit, and who wants the same key waits for that. Every call
 * answers before it returns. Refuses what any of the databases refuses.
 *
 * <p>Safe for use by many threads.
 */
public final class InMemorySagaStore implements SagaStore {
    private final ReentrantLock lock = new ReentrantLock();
    private final Supplier<Instant> clock;
    private final MemoryTables tables = new MemoryTables();
    private final InMemoryTransactions transactions =
            new InMemoryTransactions(lock, Thread::currentThread, tables::insert);

    /** Makes an empty store on the system's clock. */
    public InMemorySagaStore() {
        this(Instant::now);
    }

    /**
     * Makes an empty store on a clock of its own.
     *
     * @param clock the database clock; read for every statement, cut to microseconds
     */
    public InMemorySagaStore(Supplier<Instant> clock) {
        this.clock = clock;
    }

    /**
     * The transactions that joined starts and transactional steps of this store take part in.
     *
     * @return always the same
     */
    public InMemoryTransactions transactions() {
        return transactions;
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        return locked(() -> tables.register(name, version, fingerprint));
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        answer(callback, transaction -> {
            List<InsertResult> results = new ArrayList<>();
            batch.forEach(instance -> results.add(insert(transaction, instance)));
            return results;
        });
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        return locked(() -> {
            MemoryTransaction transaction = transactions.active();
            if (transaction.readOnly) {
                throw InMemoryTransactions.failed("SAGA-DB-903", "nothing can be inserted in a read-only transaction");
            }
            return insert(transaction, instance);
        });
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        answer(callback, transaction -> {
            Instant now = now();
            return batch.stream()
                    .map(mutation -> isLocked(mutation.fence().sagaId()) ? Acceptance.LOCKED : apply(mutation, now))
                    .toList();
        });
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        MemoryTransaction transaction = transactions.begin(false);
        Acceptance answer;
        try {
            Mutation written = work.run();
            answer = transactions.commit(transaction, () -> {
                transactions.awaitRelease(
                        transaction, List.of(new RowLock(written.fence().sagaId())));
                return apply(written, now());
            });
        } catch (Throwable failure) {
            transactions.rollback(transaction);
            callback.done(null, failure);
            return;
        }
        callback.done(answer, null);
    }

    @Override
    public boolean isTransient(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable next = failure; next != null && seen.add(next); next = next.getCause()) {
            if (next instanceof SagaStoreException known && known.code().equals(InMemoryTransactions.DEADLOCK)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        answer(callback, transaction -> tables.claim(request, now(), this::isLocked));
    }

    @Override
    public void claimOne(UUID sagaId, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answer(callback, transaction -> isLocked(sagaId) ? Optional.empty() : tables.claimOne(sagaId, lease, now()));
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answer(callback, transaction -> {
            transactions.awaitRelease(transaction, List.of(new RowLock(held.sagaId())));
            return tables.recover(held, lease, now());
        });
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        answer(callback, transaction -> {
            Instant now = now();
            Set<UUID> renewed = new LinkedHashSet<>();
            held.stream()
                    .filter(one -> !isLocked(one.sagaId()) && tables.renew(one, lease, now))
                    .forEach(one -> renewed.add(one.sagaId()));
            return renewed;
        });
    }

    @Override
    public Optional<InstanceRow> find(UUID sagaId) {
        return locked(() -> Optional.ofNullable(visible(transactions.current(), sagaId)));
    }

    @Override
    public Optional<InstanceRow> find(String name, String businessKey) {
        MemoryKey key = new MemoryKey(name, businessKey);
        return locked(() -> Optional.ofNullable(visible(transactions.current(), key)));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId) {
        return locked(() -> tables.history(sagaId));
    }

    @Override
    public List<CompensationRow> compensations(UUID sagaId) {
        return locked(() -> tables.compensations(sagaId));
    }

    /**
     * Changes a row past all fences, as somebody with a database prompt could.
     *
     * @param sagaId the saga
     * @param change makes the new row of the old one; must leave id, definition and business key
     * @throws IllegalArgumentException when there is no such saga
     */
    public void edit(UUID sagaId, UnaryOperator<InstanceRow> change) {
        locked(() -> {
            InstanceRow row = tables.find(sagaId);
            if (row == null) {
                throw new IllegalArgumentException("there is no saga " + sagaId);
            }
            tables.replace(change.apply(row));
            return row;
        });
    }

    /**
     * Runs something while somebody else's transaction holds the lock of a row.
     *
     * @param sagaId the saga
     * @param meanwhile what to run, on the calling thread
     */
    public void whileLocked(UUID sagaId, Runnable meanwhile) {
        MemoryTransaction other = new MemoryTransaction(null, false);
        locked(() -> {
            transactions.awaitRelease(other, List.of(new RowLock(sagaId)));
            transactions.hold(other, new RowLock(sagaId));
            return sagaId;
        });
        try {
            meanwhile.run();
        } finally {
            locked(() -> {
                transactions.release(other);
                return sagaId;
            });
        }
    }

    private InsertResult insert(MemoryTransaction transaction, NewInstance instance) {
        Optional<SagaStoreException> refusal = MemoryChecks.refusal(instance);
        if (refusal.isPresent()) {
            return new InsertResult(InsertResult.Kind.REFUSED, null, refusal.get());
        }
        MemoryKey key = MemoryKey.of(instance);
        List<Object> unique = key == null ? List.of(instance.sagaId()) : List.of(key, instance.sagaId());
        transactions.awaitRelease(transaction, unique);
        InstanceRow sameKey = key == null ? null : visible(transaction, key);
        InstanceRow existing = sameKey == null ? visible(transaction, instance.sagaId()) : sameKey;
        if (existing != null) {
            return new InsertResult(InsertResult.Kind.EXISTS, existing, null);
        }
        transaction.inserted.put(instance.sagaId(), MemoryRows.inserted(instance, now()));
        unique.forEach(what -> transactions.hold(transaction, what));
        return InsertResult.INSERTED;
    }

    private @Nullable InstanceRow visible(@Nullable MemoryTransaction transaction, UUID sagaId) {
        InstanceRow own = transaction == null ? null : transaction.inserted.get(sagaId);
        return own == null ? tables.find(sagaId) : own;
    }

    private @Nullable InstanceRow visible(@Nullable MemoryTransaction transaction, MemoryKey key) {
        InstanceRow own = transaction == null ? null : transaction.find(key);
        return own == null ? tables.find(key) : own;
    }

    private Acceptance apply(Mutation mutation, Instant now) {
        if (!tables.holds(mutation.fence())) {
            return Acceptance.STALE;
        }
        Optional<SagaStoreException> refusal = MemoryChecks.refusal(mutation, tables.written(mutation, now));
        if (refusal.isPresent()) {
            return new Acceptance(Acceptance.Kind.REFUSED, refusal.get());
        }
        tables.apply(mutation, now);
        return Acceptance.ACCEPTED;
    }

    private boolean isLocked(UUID sagaId) {
        return transactions.holds(new RowLock(sagaId));
    }

    /** Runs something in a transaction of its own, commits it, and tells the callback outside the lock. */
    private <T> void answer(StoreCallback<T> callback, Function<MemoryTransaction, T> call) {
        MemoryTransaction transaction = transactions.begin(false);
        T answer;
        try {
            answer = locked(() -> {
                T result = call.apply(transaction);
                transactions.commit(transaction, () -> Acceptance.ACCEPTED);
                return result;
            });
        } catch (RuntimeException failure) {
            transactions.rollback(transaction);
            callback.done(null, failure);
            return;
        }
        callback.done(answer, null);
    }

    private Instant now() {
        return clock.get().truncatedTo(ChronoUnit.MICROS);
    }

    private <T extends @Nullable Object> T locked(Supplier<T> what) {
        lock.lock();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    private record RowLock(UUID sagaId) {}
}
