package io.backstep.saga.participant;

import io.backstep.saga.Names;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.Step;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.Ids;
import io.backstep.saga.time.SystemPorts;
import java.time.Duration;

/**
 * Makes the guards of a participant, and keeps their table small. One for each database; immutable, safe for use by many threads.
 *
 * <pre>{@code
 * ParticipantGuards guards = new ParticipantGuards(JdbcGuardStore.create(dataSource, transactions), transactions);
 * ParticipantGuard<Reservation> reserve = guards.guard(Step.named("reserve", Reservation.class));
 *
 * Reservation reserve(String key, String sku, int quantity) throws Exception {
 *     return reserve.action(key, () -> stock.take(sku, quantity));
 * }
 *
 * void release(String key) throws Exception {
 *     reserve.compensation(key, recorded -> stock.giveBack(key));
 * }
 * }</pre>
 */
public final class ParticipantGuards {
    private static final int BATCH = 500;

    private final GuardStore store;
    private final Transactions transactions;
    private final Ids ids;
    private final boolean strict;
    private final Json json = new Json();

    /**
     * Makes them.
     *
     * @param store where the rows are
     * @param transactions the participant's own, of the same database
     */
    public ParticipantGuards(GuardStore store, Transactions transactions) {
        this(store, transactions, SystemPorts.ids(), false);
    }

    private ParticipantGuards(GuardStore store, Transactions transactions, Ids ids, boolean strict) {
        this.store = store;
        this.transactions = transactions;
        this.ids = ids;
        this.strict = strict;
    }

    /**
     * The same, but a guard that is called outside a transaction is refused with an {@link IllegalStateException}, where it would
     * begin one. For participants whose effects come from code that has to have begun a transaction before.
     *
     * @return a copy; remote guards of it are not affected
     */
    public ParticipantGuards strict() {
        return new ParticipantGuards(store, transactions, ids, true);
    }

    /**
     * A guard for an operation with a result. It is stored as JSON, readable by whoever can read the table: no
     * {@link io.backstep.saga.serialization.PayloadCodec} encodes it. Let it say no more than the undo needs.
     *
     * @param operation its name and the type of its result; under one operation id there can be only one operation
     * @param <R> the result
     * @return the guard
     * @throws SagaDefinitionException {@code SAGA-DSL-017} when the result cannot be stored
     */
    public <R> ParticipantGuard<R> guard(Step<R> operation) {
        Results.requireStorable(operation, json);
        return new ParticipantGuard<>(operation, guarding(operation.name()), json);
    }

    /**
     * A guard for an operation without a result.
     *
     * @param operation its name, 1 to 100 of {@code A-Z a-z 0-9 . _ -}
     * @return the guard
     * @throws SagaDefinitionException {@code SAGA-DSL-001} or {@code SAGA-DSL-002} for a bad name
     */
    public VoidParticipantGuard guard(String operation) {
        return new VoidParticipantGuard(guarding(Names.checked("operation", operation)));
    }

    private Guarding guarding(String operation) {
        return new Guarding(store, new OwnTransactions(transactions, strict), ids, operation, null, false);
    }

    /**
     * Deletes what has not changed for a while, in batches with a transaction each; several may purge at once. A row that is gone is forgotten: a late action would
     * run, and a late compensation would find nothing to undo. So the age must be longer than a saga can live, from its first action
     * to its last compensation, plus the longest time that a message may be under way.
     *
     * @param age how long ago a row was changed last, at least; at least a minute
     * @return how many were found
     * @throws IllegalArgumentException when the age is too short
     * @throws Exception what the transactions throw
     */
    public int purge(Duration age) throws Exception {
        if (age.compareTo(Duration.ofMinutes(1)) < 0) {
            throw new IllegalArgumentException("the age is " + age + "; at least a minute is needed");
        }
        OwnTransactions own = new OwnTransactions(transactions, strict);
        int all = 0;
        int found;
        do {
            found = own.alone(() -> store.purge(age, BATCH));
            all += found;
        } while (found == BATCH);
        return all;
    }
}
