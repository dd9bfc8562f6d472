package io.backstep.saga.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is written in the transactions of the in-memory store. Not safe for use by many threads: the store holds its lock. */
final class MemoryWrites {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final MemoryTables tables;
    private final InMemoryTransactions transactions;
    private final Supplier<Instant> now;

    MemoryWrites(MemoryTables tables, InMemoryTransactions transactions, Supplier<Instant> now) {
        this.tables = tables;
        this.transactions = transactions;
        this.now = now;
    }

    /** The transaction of the calling thread, in which something is to be written. */
    MemoryTransaction writable() {
        MemoryTransaction transaction = transactions.active();
        if (transaction.readOnly) {
            throw InMemoryTransactions.failed("SAGA-DB-903", "nothing can be written in a read-only transaction");
        }
        return transaction;
    }

    InsertResult insert(MemoryTransaction transaction, NewInstance instance) {
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
        transaction.rows.put(instance.sagaId(), MemoryRows.inserted(instance, now.get()));
        unique.forEach(what -> transactions.hold(transaction, what));
        return InsertResult.INSERTED;
    }

    Acceptance apply(Mutation mutation) {
        Fence fence = mutation.fence();
        InstanceRow row = tables.find(fence.sagaId());
        if (row == null || !fits(row, fence)) {
            return Acceptance.STALE;
        }
        Instant at = now.get();
        InstanceRow after = MemoryRows.written(row, mutation, at);
        Optional<SagaStoreException> refusal =
                MemoryChecks.refusal(mutation, after).or(() -> MemoryChecks.taken(mutation.children(), tables));
        if (refusal.isPresent()) {
            return new Acceptance(Acceptance.Kind.REFUSED, refusal.get());
        }
        tables.replace(after);
        tables.record(after, mutation, at);
        return Acceptance.ACCEPTED;
    }

    Operated operate(MemoryTransaction transaction, OperatorWrite write) throws InterruptedException {
        Fence fence = write.mutation().fence();
        MemoryRowLock lock = new MemoryRowLock(fence.sagaId());
        transactions.awaitRelease(transaction, lock, PATIENCE);
        InstanceRow row = visible(transaction, fence.sagaId());
        Instant at = now.get();
        if (row == null || !fits(row, fence)) {
            return Operated.STALE;
        }
        if (!write.force() && new Inspected(row, at, List.of()).held()) {
            return Operated.HELD;
        }
        InstanceRow after = MemoryRows.operated(row, write, at);
        MemoryChecks.refusal(write.mutation(), after).ifPresent(MemoryWrites::refuse);
        transactions.hold(transaction, lock);
        transaction.rows.put(after.sagaId(), after);
        transaction.effects.add(() -> tables.record(after, write.mutation(), at));
        return Operated.DONE;
    }

    boolean post(MemoryTransaction transaction, Mail mail) {
        MemoryChecks.refusal(mail).ifPresent(MemoryWrites::refuse);
        MemoryMail.Key key = MemoryMail.Key.of(mail);
        transactions.awaitRelease(transaction, List.of(key));
        if (isPosted(transaction, key)) {
            return false;
        }
        transactions.hold(transaction, key);
        transaction.mail.add(mail);
        return true;
    }

    boolean isPosted(@Nullable MemoryTransaction transaction, MemoryMail.Key key) {
        return tables.mail.knows(key)
                || (transaction != null
                        && transaction.mail.stream().map(MemoryMail.Key::of).anyMatch(key::equals));
    }

    boolean audit(MemoryTransaction transaction, AuditEntry entry) {
        MemoryChecks.refusal(entry).ifPresent(MemoryWrites::refuse);
        MemoryAudit.Key key = MemoryAudit.Key.of(entry);
        if (key != null) {
            transactions.awaitRelease(transaction, List.of(key));
            if (tables.audit.knows(key)
                    || transaction.audit.stream()
                            .map(row -> MemoryAudit.Key.of(row.entry()))
                            .anyMatch(key::equals)) {
                return false;
            }
            transactions.hold(transaction, key);
        }
        transaction.audit.add(new AuditRow(tables.audit.nextId(), entry, now.get()));
        return true;
    }

    Optional<Inspected> inspect(@Nullable MemoryTransaction transaction, UUID sagaId) {
        Stream<Mail> own = transaction == null ? Stream.of() : transaction.mail.stream();
        List<Mail> mail = Stream.concat(
                        tables.mail.waiting(sagaId).stream(),
                        own.filter(one -> one.sagaId().equals(sagaId)))
                .toList();
        return Optional.ofNullable(visible(transaction, sagaId)).map(row -> new Inspected(row, now.get(), mail));
    }

    @Nullable
    InstanceRow visible(@Nullable MemoryTransaction transaction, UUID sagaId) {
        InstanceRow own = transaction == null ? null : transaction.rows.get(sagaId);
        return own == null ? tables.find(sagaId) : own;
    }

    @Nullable
    InstanceRow visible(@Nullable MemoryTransaction transaction, MemoryKey key) {
        InstanceRow own = transaction == null ? null : transaction.find(key);
        return own == null ? tables.find(key) : own;
    }

    private static boolean fits(InstanceRow row, Fence fence) {
        return row.epoch() == fence.epoch() && row.seq() == fence.seq();
    }

    private static void refuse(SagaStoreException refusal) {
        throw refusal;
    }
}
