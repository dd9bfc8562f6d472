package io.backstep.saga.store;

import io.backstep.saga.Thrown;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
            new InMemoryTransactions(lock, Thread::currentThread, tables::publish);
    private final MemoryWrites writes = new MemoryWrites(tables, transactions, this::now);
    private final MemorySearch search = new MemorySearch(tables, this::isLocked);

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
    public List<UnknownDefinition> unknown(List<Integer> definitionIds, int most) {
        return locked(() -> tables.unknown(definitionIds, most));
    }

    @Override
    public Map<Integer, Duration> oldest(List<Integer> definitionIds, int most) {
        return locked(() -> tables.oldest(definitionIds, most, now()));
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        answer(callback, transaction -> inserted(transaction, batch));
    }

    private List<InsertResult> inserted(MemoryTransaction transaction, List<NewInstance> batch) {
        List<InsertResult> results = new ArrayList<>();
        batch.forEach(instance -> results.add(writes.insert(transaction, instance)));
        return results;
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        return locked(() -> writes.insert(writes.writable(), instance));
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        answer(callback, transaction -> applied(batch));
    }

    private List<Acceptance> applied(List<Mutation> batch) {
        return batch.stream()
                .map(mutation -> isLocked(mutation.fence().sagaId()) ? Acceptance.LOCKED : writes.apply(mutation))
                .toList();
    }

    @Override
    public void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
        answer(callback, transaction -> new Written(applied(mutations), inserted(transaction, starts)));
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        MemoryTransaction transaction = transactions.begin(false);
        Acceptance answer;
        try {
            Mutation written = work.run();
            answer = transactions.commit(transaction, () -> {
                transactions.awaitRelease(
                        transaction, List.of(new MemoryRowLock(written.fence().sagaId())));
                return writes.apply(written);
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
        for (Throwable next = failure; next != null && seen.add(next); next = Thrown.cause(next)) {
            if (next instanceof SagaStoreException known && known.code().equals(InMemoryTransactions.DEADLOCK)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
        answer(callback, transaction -> search.look(owner, definitionIds, now()));
    }

    /** Never hints. */
    @Override
    public Listening listen(Runnable hint) {
        return () -> {};
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        answer(callback, transaction -> tables.claim(request, now(), this::isLocked));
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        answer(
                callback,
                transaction ->
                        isLocked(sagaId) ? Optional.empty() : tables.claimOne(sagaId, lease, definitionIds, now()));
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answer(callback, transaction -> {
            transactions.awaitRelease(transaction, List.of(new MemoryRowLock(held.sagaId())));
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
        return locked(() -> Optional.ofNullable(writes.visible(transactions.current(), sagaId)));
    }

    @Override
    public Optional<InstanceRow> find(String name, String businessKey) {
        MemoryKey key = new MemoryKey(name, businessKey);
        return locked(() -> Optional.ofNullable(writes.visible(transactions.current(), key)));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId) {
        return locked(() -> tables.history(sagaId));
    }

    @Override
    public List<CompensationRow> compensations(UUID sagaId) {
        return locked(() -> tables.compensations(sagaId));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId, HistoryRow.@Nullable Place after, int limit) {
        return locked(() -> tables.history(sagaId, after, limit));
    }

    @Override
    public boolean post(Mail mail) {
        return locked(() -> writes.post(writes.writable(), mail));
    }

    @Override
    public boolean isPosted(UUID sagaId, String messageId) {
        return locked(() -> writes.isPosted(transactions.current(), new MemoryMail.Key(sagaId, messageId)));
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        answer(callback, transaction -> search.sweep(owner, definitionIds, now()));
    }

    @Override
    public Optional<Inspected> inspect(UUID sagaId) {
        return locked(() -> writes.inspect(transactions.current(), sagaId));
    }

    @Override
    public Operated operate(OperatorWrite write) {
        lock.lock();
        try {
            return writes.operate(writes.writable(), write);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw InMemoryTransactions.failed(
                    InMemoryTransactions.LOCKED, "interrupted while another transaction has the saga locked");
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean audit(AuditEntry entry) {
        return locked(() -> writes.audit(writes.writable(), entry));
    }

    @Override
    public List<AuditRow> audit(AuditQuery query) {
        return locked(() -> {
            MemoryTransaction transaction = transactions.current();
            return tables.audit.find(query, transaction == null ? List.of() : transaction.audit);
        });
    }

    @Override
    public List<InstanceSummary> list(ListQuery query) {
        return locked(() -> search.list(transactions.current(), query));
    }

    @Override
    public Purged purge(PurgeRequest request) {
        return locked(() -> search.purge(request, now()));
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
            transactions.awaitRelease(other, List.of(new MemoryRowLock(sagaId)));
            transactions.hold(other, new MemoryRowLock(sagaId));
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

    private boolean isLocked(UUID sagaId) {
        return transactions.holds(new MemoryRowLock(sagaId));
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

    @Override
    public Instant now() {
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
}
