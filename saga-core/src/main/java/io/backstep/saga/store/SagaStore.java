package io.backstep.saga.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps sagas. All time is the database's: whatever is given as a duration counts from the moment of the write.
 *
 * <p>The calls with a callback are asynchronous at the edge: the store may answer before the call returns or later, on any
 * thread; a store that blocks does so on the calling thread, which is why the engine calls it from threads of its own. The other
 * calls block and throw {@link SagaStoreException}. All are safe for use by many threads.
 */
public interface SagaStore {
    /**
     * Makes a version of a definition known, or finds it: the first fingerprint stays.
     *
     * @param name the name of the type
     * @param version the version
     * @param fingerprint what may not change under the version
     * @return what is stored
     */
    RegisteredDefinition register(String name, int version, String fingerprint);

    /**
     * Finds what a node leaves alone. A few cheap statements.
     *
     * @param definitionIds what the node knows
     * @param most how many sagas of a version are counted at most
     * @return versions that it does not know and that have sagas RUNNING or COMPENSATING, or COMPLETED ones that are to be undone; by name and
     *     version
     */
    List<UnknownDefinition> unknown(List<Integer> definitionIds, int most);

    /**
     * Tells how old what is under way is, by the database's clock. A cheap statement.
     *
     * @param definitionIds of which definitions
     * @param most how many sagas of each are looked at: those that are due first
     * @return the age of the oldest that is RUNNING or COMPENSATING, by the id of its definition; none for a definition without such sagas
     */
    Map<Integer, Duration> oldest(List<Integer> definitionIds, int most);

    /**
     * Inserts sagas in a transaction of its own. One bad row does not harm the others, and for one whose key somebody else's open
     * transaction has inserted they do not wait long.
     *
     * @param batch the sagas; no id twice
     * @param callback told one result for each, in order, after the commit
     */
    void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback);

    /**
     * Inserts a saga in the transaction of the calling thread, behind a savepoint: whatever the answer, the transaction stays
     * usable. Waits for a concurrent insert of the same key to end.
     *
     * @param instance the saga, without a lease
     * @return what happened
     */
    InsertResult insertJoined(NewInstance instance);

    /**
     * Writes mutations in one transaction. History, compensation log, children and posts are gated: what belongs to a stale mutation is
     * not written. A mutation whose child has an id that is taken is refused; a message whose id is known is dropped.
     *
     * @param batch the mutations; no saga twice
     * @param callback told one answer for each, in order, after the commit; a failure is of the whole batch
     */
    void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback);

    /**
     * Does what {@link #submit} and {@link #insert} do, in one transaction.
     *
     * @param mutations no saga twice
     * @param starts sagas; none that is among the mutations
     * @param callback told both, after the commit; a failure is of the whole batch
     */
    void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback);

    /**
     * Runs user code and writes its record in one new transaction on the calling thread. When the fence does not hold the
     * transaction is rolled back, and the answer is STALE.
     *
     * @param work the user code, and the write that records it
     * @param callback told after the commit; {@link SagaStoreException} with its effect when the transaction failed outside the
     *     work, else what the work threw
     */
    void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback);

    /**
     * Whether a failure is a serialization failure or a deadlock, anywhere in its causes: the same work may succeed in a fresh
     * transaction.
     *
     * @param failure what was thrown
     * @return true when a rerun is worth it
     */
    boolean isTransient(Throwable failure);

    /**
     * Looks whether there is something to do; changes and locks nothing, and waits for nobody. One cheap statement.
     *
     * @param owner whose mail counts
     * @param definitionIds which definitions the node knows
     * @param callback told what there is
     */
    void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback);

    /**
     * Listens to hints that others may have made something to do, sagas due or mail. A hint spares its listener the rest of a poll
     * interval, and is nothing to rely on: it may come late, twice, for nothing, or not at all. Returns at once; a store that cannot
     * tell what others do never hints.
     *
     * @param hint run on any thread, after the commit of what it hints at; must not block
     * @return to end it
     */
    Listening listen(Runnable hint);

    /**
     * Takes due sagas (due time passed; nobody's, or the lease has run out): sets owner and lease, raises the epoch, skips locked rows.
     *
     * @param request for whom, how many, which definitions
     * @param callback told what was taken, never more than the limit
     */
    void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback);

    /**
     * Takes one saga now, if it is RUNNING or COMPENSATING, due and nobody's, and of a definition that the node knows.
     *
     * @param sagaId the saga
     * @param lease for whom and how long
     * @param definitionIds which definitions the node knows
     * @param callback told the saga, or empty
     */
    void claimOne(UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback);

    /**
     * Takes back a saga after a write whose effect is unknown: raises the epoch where it is still the caller's, which waits for the
     * lost write or fences it.
     *
     * @param held the saga and the caller's epoch
     * @param lease for whom and how long
     * @param callback told the saga as it is now (never {@code takenOver}), or empty when it is not the caller's any more, or has
     *     ended or is parked
     */
    void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback);

    /**
     * Renews leases: only where epoch and owner still match and the saga is RUNNING or COMPENSATING; skips locked rows.
     *
     * @param held the sagas
     * @param lease for whom and how long
     * @param callback told which were renewed
     */
    void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback);

    /**
     * Finds a saga by its id.
     *
     * @param sagaId the id
     * @return the saga, or empty
     */
    Optional<InstanceRow> find(UUID sagaId);

    /**
     * Finds a saga by the name of its type and its business key.
     *
     * @param name the name of the type
     * @param businessKey the key
     * @return the saga, or empty
     */
    Optional<InstanceRow> find(String name, String businessKey);

    /**
     * Reads the history of a saga.
     *
     * @param sagaId the id
     * @return its lines, by seq and ordinal
     */
    List<HistoryRow> history(UUID sagaId);

    /**
     * Reads the compensation log of a saga.
     *
     * @param sagaId the id
     * @return its rows, by position
     */
    List<CompensationRow> compensations(UUID sagaId);

    /**
     * Reads a part of the history of a saga.
     *
     * @param sagaId the id
     * @param after only lines after the one with this seq and ordinal, or null for the first
     * @param limit how many at most
     * @return lines, by seq and ordinal
     */
    List<HistoryRow> history(UUID sagaId, HistoryRow.@Nullable Place after, int limit);

    /**
     * Inserts a message in the transaction of the calling thread. Never locks the saga's row, and never waits for its owner.
     *
     * @param mail the message; the saga need not exist
     * @return false when the saga has had a message with this id before; the transaction stays usable
     * @throws SagaStoreException when the message cannot be stored; the transaction stays usable
     * @throws IllegalStateException outside a transaction
     */
    boolean post(Mail mail);

    /**
     * Whether a saga has had a message.
     *
     * @param sagaId the saga; it need not exist
     * @param messageId the id of the message
     * @return true when {@link #post} would drop one with this id
     */
    boolean isPosted(UUID sagaId, String messageId);

    /**
     * Reads the database's clock.
     *
     * @return its time, never later than that of a write that follows
     */
    Instant now();

    /**
     * Looks through new mail: that of ended or unknown sagas is put aside, unowned sagas that are RUNNING or COMPENSATING become due now, and
     * mail for parked ones waits. One cheap statement when there is none.
     *
     * @param owner for whom
     * @param definitionIds which definitions the node knows
     * @param callback told the new mail of the sagas that this owner holds, and what asks to {@link Mail.Kind#UNDO undo} COMPLETED ones of
     *     these definitions, oldest first; that of others waits for a node that knows them. And what was put aside
     */
    void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback);

    /**
     * Finds a saga, with all that an operator's action depends on.
     *
     * @param sagaId the id
     * @return the saga, or empty
     */
    Optional<Inspected> inspect(UUID sagaId);

    /**
     * Writes for an operator, in the transaction of the calling thread. Waits shortly for whoever has the row locked.
     *
     * @param write the write
     * @return what became of it; nothing is written unless it is DONE
     * @throws SagaStoreException {@code SAGA-DB-012} when somebody keeps the row locked, or what the database refuses; nothing is
     *     written, and the transaction stays usable
     * @throws IllegalStateException outside a transaction
     */
    Operated operate(OperatorWrite write);

    /**
     * Appends to the audit, in the transaction of the calling thread.
     *
     * @param entry what was done
     * @return false when the saga has a row with this request key; the transaction stays usable
     * @throws SagaStoreException when the row cannot be stored; the transaction stays usable
     * @throws IllegalStateException outside a transaction
     */
    boolean audit(AuditEntry entry);

    /**
     * Reads the audit.
     *
     * @param query which rows
     * @return the rows, newest first
     * @throws SagaStoreException {@code SAGA-DB-013} when it takes longer than some seconds
     */
    List<AuditRow> audit(AuditQuery query);

    /**
     * Lists sagas.
     *
     * @param query which
     * @return the sagas, newest first
     * @throws SagaStoreException {@code SAGA-DB-013} when it takes longer than some seconds
     */
    List<InstanceSummary> list(ListQuery query);

    /**
     * Deletes finished sagas of one slice of the table, with history, compensation log and mail, in one transaction; skips locked
     * rows, and children whose parent is there when it begins. The audit stays.
     *
     * @param request which
     * @return what it did
     */
    Purged purge(PurgeRequest request);
}
