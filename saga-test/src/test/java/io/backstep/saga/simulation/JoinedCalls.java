package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Locks.Key;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.StoreCallback;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Calls that take part in the transaction of the calling thread, and inserts, which meet them. */
final class JoinedCalls {
    private static final long PATIENCE = 2_000_000_000L;

    private final Database database;
    private final InMemorySagaStore kept;

    JoinedCalls(Database database) {
        this.database = database;
        this.kept = database.kept;
    }

    /** Somebody else has inserted the same as some of these, and is not done. */
    void insertLocked(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        World world = database.world;
        insert(batch, world == null ? List.of() : world.network.someOf(batch), callback);
    }

    void insert(List<NewInstance> batch, List<NewInstance> locked, StoreCallback<List<InsertResult>> callback) {
        World world = database.world;
        if (world != null) {
            world.tally.reachIf(batch.size() > 1, Goal.BATCH_OF_STARTS);
        }
        List<NewInstance> waiting = batch.stream()
                .filter(row -> locked.contains(row) || database.locks.holdsAny(uniques(row)))
                .toList();
        List<NewInstance> free = batch.stream()
                .filter(row -> !waiting.contains(row) && (world == null || !world.network.refusesRow()))
                .toList();
        kept.insert(free, (results, failure) -> {
            if (results == null) {
                callback.done(null, failure);
                return;
            }
            List<UUID> inserted = new ArrayList<>();
            List<InsertResult> all = new ArrayList<>();
            for (NewInstance row : batch) {
                int place = free.indexOf(row);
                all.add(place < 0 ? notInserted(waiting.contains(row)) : results.get(place));
                if (place >= 0 && isItself(row, results.get(place))) {
                    database.commits.insertedBefore();
                }
                if (place >= 0 && results.get(place).kind() == InsertResult.Kind.INSERTED) {
                    inserted.add(row.sagaId());
                }
            }
            database.commits.inserted(inserted);
            callback.done(all, null);
        });
    }

    private static InsertResult notInserted(boolean locked) {
        return new InsertResult(locked ? InsertResult.Kind.LOCKED : InsertResult.Kind.REFUSED, null, null);
    }

    private static boolean isItself(NewInstance row, InsertResult result) {
        InstanceRow existing = result.existing();
        return existing != null && existing.sagaId().equals(row.sagaId());
    }

    private static List<Object> uniques(NewInstance row) {
        String key = row.businessKey();
        return key == null
                ? List.of(row.sagaId())
                : List.of(row.sagaId(), new Key(row.definition().name(), key));
    }

    InsertResult insertJoined(NewInstance row) {
        SimTx transaction = await(uniques(row));
        InsertResult result = kept.insertJoined(row);
        if (transaction != null && result.kind() == InsertResult.Kind.INSERTED) {
            transaction.replay.add(() -> kept.insertJoined(row));
            transaction.locked.addAll(uniques(row));
            transaction.inserted.add(row.sagaId());
        }
        return result;
    }

    boolean post(Mail mail) {
        Key key = new Key("mail " + mail.sagaId(), mail.messageId());
        SimTx transaction = await(List.of(key));
        boolean posted = kept.post(mail);
        if (transaction != null && posted) {
            transaction.replay.add(() -> kept.post(mail));
            transaction.locked.add(key);
            transaction.posted.add(mail);
        }
        return posted;
    }

    Operated operate(OperatorWrite write) {
        UUID row = write.mutation().fence().sagaId();
        SimTx transaction = await(List.of(row));
        Operated operated = kept.operate(write);
        if (transaction != null && operated == Operated.DONE) {
            transaction.replay.add(() -> kept.operate(write));
            transaction.locked.add(row);
            transaction.operated.add(write);
        }
        return operated;
    }

    boolean audit(AuditEntry entry) {
        Key key = new Key("audit " + entry.sagaId(), String.valueOf(entry.requestKey()));
        SimTx transaction = await(entry.requestKey() == null ? List.of() : List.of(key));
        boolean added = kept.audit(entry);
        if (transaction != null && added) {
            transaction.replay.add(() -> kept.audit(entry));
            if (entry.requestKey() != null) {
                transaction.locked.add(key);
            }
            transaction.audited.add(entry);
        }
        return added;
    }

    /** Waits for locks; who has some already does not wait, lest two wait for each other. */
    private @Nullable SimTx await(List<?> wanted) {
        SimTx transaction = database.transaction();
        if (database.locks.holdsAny(wanted)) {
            if (transaction == null || !transaction.locked.isEmpty()) {
                throw SimFailure.deadlock();
            }
            if (!database.await(wanted, PATIENCE)) {
                throw SimFailure.locked();
            }
        }
        return transaction;
    }
}
