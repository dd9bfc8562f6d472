package io.backstep.saga.jdbc;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.Shown;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.ConfirmationAnswer;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A participant of a two-phase commit on a PostgreSQL database: what it does is prepared, survives a crash of everybody, and is committed or
 * rolled back by a word later on. As a TCC step, prepare is the try, commit the confirm, rollback the cancel; each is idempotent under
 * its key. What is prepared holds its locks until it is committed or rolled back. Needs the guard's table
 * ({@link SagaSchema#participantDdl}) in that database and {@code max_prepared_transactions} above zero; no engine. Safe for use by many threads.
 *
 * <pre>{@code
 * TwoPhaseParticipant debit = TwoPhaseParticipant.create("debit", accounts);
 *
 * .tcc(DEBIT)
 *     .tryAction(c -> debit.prepare(c.idempotencyKey(), connection -> take(connection, c.input().from(), c.input().amount())))
 *     .confirm((c, prepared) -> debit.commit(c.idempotencyKey()))
 *     .cancel((c, prepared) -> debit.rollback(c.idempotencyKey()))
 * }</pre>
 *
 * <p>The guard's row is part of what is prepared: it is seen when that is committed, and tells then that it is. A rollback leaves
 * a row that refuses a prepare that comes later.
 */
public final class TwoPhaseParticipant {
    private static final Logger log = LoggerFactory.getLogger(TwoPhaseParticipant.class);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,40}");
    private static final int LONGEST_KEY = 200;
    private static final int TRIES = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final String name;
    private final Duration patience;
    private final Gids gids;
    private final JdbcTransactions transactions;
    private final VoidParticipantGuard guard;
    private final PreparedStatements prepared;

    private TwoPhaseParticipant(
            String name,
            Duration patience,
            JdbcTransactions transactions,
            VoidParticipantGuard guard,
            PreparedStatements prepared) {
        this.name = name;
        this.patience = patience;
        this.gids = new Gids(name);
        this.transactions = transactions;
        this.guard = guard;
        this.prepared = prepared;
    }

    /**
     * Makes one on the default table, see {@link #create(String, DataSource, SagaSchema.Options)}.
     *
     * @param name of the participant
     * @param dataSource its database
     * @return the participant
     */
    public static TwoPhaseParticipant create(String name, DataSource dataSource) {
        return create(name, dataSource, SagaSchema.Options.DEFAULT);
    }

    /**
     * Makes one. The database is first asked at the first call; see {@link #requirePreparedTransactions}.
     *
     * @param name of the participant, 1 to 40 of {@code A-Z a-z 0-9 _ -}; only one in a PostgreSQL server may have it, because the names of
     *     prepared transactions are the server's, and begin with it
     * @param dataSource its database; transactions are begun on connections of it, whatever the caller is in
     * @param options where the guard's table is
     * @return the participant
     * @throws IllegalArgumentException for a bad name
     */
    public static TwoPhaseParticipant create(String name, DataSource dataSource, SagaSchema.Options options) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a two-phase participant needs a name of 1 to 40 of A-Z a-z 0-9 _ -, not " + Shown.quoted(name));
        }
        JdbcTransactions transactions = new JdbcTransactions(dataSource);
        JdbcGuardStore guards = JdbcGuardStore.create(dataSource, transactions, options);
        return new TwoPhaseParticipant(
                name,
                PATIENCE,
                transactions,
                new ParticipantGuards(guards, transactions).guard(name),
                new PreparedStatements(dataSource));
    }

    /**
     * The same with another patience. What others have prepared keeps its locks for as long as their sagas take, and of two that wait for each
     * other in two databases neither database knows: so nobody waits for long.
     *
     * @param longest how long the work waits for a lock before its statement fails, at least a millisecond; 2 s unless said
     * @return a copy
     * @throws IllegalArgumentException when it is shorter
     */
    public TwoPhaseParticipant withPatience(Duration longest) {
        if (longest.toMillis() < 1) {
            throw new IllegalArgumentException("a patience of " + longest + "; at least a millisecond is needed");
        }
        return new TwoPhaseParticipant(name, longest, transactions, guard, prepared);
    }

    /**
     * For the start of an application: whether the database can prepare transactions.
     *
     * @throws io.backstep.saga.SagaConfigurationException {@code SAGA-CFG-022} when it can't: {@code max_prepared_transactions} is 0
     * @throws SagaStoreException when it does not answer
     */
    public void requirePreparedTransactions() {
        prepared.requireOn();
    }

    /** What a participant does. */
    @FunctionalInterface
    public interface Work {
        /**
         * Does it.
         *
         * @param connection in a transaction that is neither committed nor rolled back here
         * @throws Exception when it cannot be done: a vote of no, after which nothing is prepared
         */
        void run(Connection connection) throws Exception;
    }

    /**
     * A vote of yes.
     *
     * @param gid the name of the prepared transaction
     */
    public record Prepared(String gid) {}

    /**
     * Does the work in a transaction of its own and prepares that. When it is prepared or committed already the work is not run.
     *
     * @param key the idempotency key of the step, 1 to 200 characters
     * @param work what to do
     * @return that it is prepared
     * @throws OperationRefusedException {@code SAGA-GRD-001} when it was rolled back, or its rollback came first
     * @throws OperationBusyException when another call is not over; try again later
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad key, {@code SAGA-GRD-003} when it is of another operation
     * @throws io.backstep.saga.SagaConfigurationException {@code SAGA-CFG-022} when {@code max_prepared_transactions} is 0
     * @throws SagaStoreException {@code SAGA-TPC-001} when so many are prepared; else when the database does not do it, or nobody knows whether
     *     it has
     * @throws Exception what the work threw: nothing is prepared then
     */
    public Prepared prepare(String key, Work work) throws Exception {
        String gid = gid(key);
        if (!prepared.isThere(gid)) {
            try {
                transactions.inTransaction(() -> {
                    vote(key, gid, work);
                    return true;
                });
            } catch (OperationBusyException e) {
                if (!prepared.isThere(gid)) { // it was not this call that has prepared it
                    throw e;
                }
            }
        }
        return new Prepared(gid);
    }

    /** The row says confirmed from the start, for when it is seen it is. Its statement would fail where the work has hidden a failure. */
    private void vote(String key, String gid, Work work) throws Exception {
        AtomicBoolean first = new AtomicBoolean();
        PreparedStatements.waitAtMost(transactions.connection(), patience);
        guard.action(key, () -> {
            work.run(transactions.connection());
            first.set(true);
        });
        if (first.get()) {
            guard.confirmation(key, () -> {});
            PreparedStatements.prepare(transactions.connection(), gid);
        }
    }

    /**
     * Commits what is prepared.
     *
     * @param key the same as the prepare's
     * @return how it was
     * @throws OperationRefusedException {@code SAGA-GRD-010} when it was rolled back, {@code SAGA-GRD-011} when it was never prepared: it is
     *     refused from then on
     * @throws OperationBusyException when another call is not over; try again later
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad key, {@code SAGA-GRD-003} when it is of another operation
     * @throws SagaStoreException when the database does not do it, or nobody knows whether it has
     */
    public ConfirmationAnswer commit(String key) {
        String gid = gid(key);
        if (prepared.finish(PreparedStatements.COMMIT, gid)) {
            return ConfirmationAnswer.DONE;
        }
        guarded(() -> guard.confirmation(key, () -> {})); // or it throws
        return ConfirmationAnswer.DUPLICATE;
    }

    /**
     * Rolls back what is prepared, and refuses what would be prepared later.
     *
     * @param key the same as the prepare's
     * @return how it was; {@link CompensationAnswer#EMPTY} when it was not prepared
     * @throws OperationRefusedException {@code SAGA-GRD-012} when it was committed
     * @throws OperationBusyException when another call is not over; try again later
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad key, {@code SAGA-GRD-003} when it is of another operation
     * @throws SagaStoreException when the database does not do it, or nobody knows whether it has
     */
    public CompensationAnswer rollback(String key) {
        String gid = gid(key);
        boolean done = false;
        for (int tries = 1; ; tries++) {
            done |= prepared.finish(PreparedStatements.ROLLBACK, gid);
            try {
                CompensationAnswer known = guarded(() -> guard.compensation(key, () -> {}));
                return done ? CompensationAnswer.DONE : known;
            } catch (OperationBusyException e) {
                if (tries == TRIES || !prepared.isThere(gid)) { // else it was prepared meanwhile
                    throw e;
                }
            }
        }
    }

    /**
     * What is prepared and still there after a while.
     *
     * @param gid its name
     * @param key what it was prepared under; empty when that was too long for a name
     * @param preparedAt when, by the database's clock
     */
    public record Orphan(String gid, Optional<String> key, Instant preparedAt) {}

    /** What became of the saga, or whoever it was that decides. */
    public enum Outcome {
        /** It was decided that all commit. */
        COMMITTED,
        /** It was decided that all roll back. */
        ROLLED_BACK,
        /** Nothing is decided, or nobody knows: the transaction stays. */
        UNDECIDED
    }

    /** Asked before anything is done about an orphan. */
    @FunctionalInterface
    public interface Decider {
        /**
         * Tells what was decided. Says undecided while the saga may still go on: it commits or rolls back by itself.
         *
         * @param orphan what is still prepared
         * @return the outcome
         * @throws Exception when that cannot be told: the transaction stays
         */
        Outcome outcome(Orphan orphan) throws Exception;
    }

    /**
     * What a sweep has come to.
     *
     * @param committed how many transactions were committed
     * @param rolledBack how many were rolled back
     * @param left how many stay
     */
    public record Swept(int committed, int rolledBack, int left) {}

    /**
     * Lists what this participant has prepared and nobody has ended.
     *
     * @param age how long ago it was prepared, at least, by the database's clock
     * @return the oldest first
     * @throws SagaStoreException when the database does not answer
     */
    public List<Orphan> orphans(Duration age) {
        return prepared.olderThan(age, gids.prefix()).stream()
                .map(found -> new Orphan(found.gid(), gids.key(found.gid()), found.preparedAt()))
                .toList();
    }

    /**
     * Ends what this participant has prepared and nobody has ended, as it was decided; never by a guess. What fails is logged, and stays.
     *
     * @param age how long ago it was prepared, at least
     * @param decider says what was decided
     * @return how many were ended
     * @throws SagaStoreException when the database does not answer
     */
    public Swept sweep(Duration age, Decider decider) {
        int committed = 0;
        int rolledBack = 0;
        int left = 0;
        for (Orphan orphan : orphans(age)) {
            switch (swept(orphan, decider)) {
                case COMMITTED -> committed++;
                case ROLLED_BACK -> rolledBack++;
                case UNDECIDED -> left++;
            }
        }
        return new Swept(committed, rolledBack, left);
    }

    private Outcome swept(Orphan orphan, Decider decider) {
        try {
            Outcome outcome = decider.outcome(orphan);
            switch (outcome) {
                case COMMITTED -> end(orphan, PreparedStatements.COMMIT, this::commit);
                case ROLLED_BACK -> end(orphan, PreparedStatements.ROLLBACK, this::rollback);
                case UNDECIDED ->
                    log.info("{} is prepared since {}, and nothing is decided", orphan.gid(), orphan.preparedAt());
            }
            return outcome;
        } catch (Exception e) {
            log.warn("{} is prepared since {}, and stays", orphan.gid(), orphan.preparedAt(), e);
            return Outcome.UNDECIDED;
        }
    }

    private interface End {
        Object of(String key);
    }

    private void end(Orphan orphan, String how, End end) {
        if (orphan.key().isPresent()) {
            end.of(orphan.key().get());
        } else {
            prepared.finish(how, orphan.gid());
        }
        log.info("{} was left prepared by {} since {}: {}", orphan.gid(), name, orphan.preparedAt(), how);
    }

    private String gid(String key) {
        return gids.of(SagaRequestException.requireText("key", key, LONGEST_KEY));
    }

    private static <T> T guarded(Callable<T> call) {
        try {
            return call.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SagaStoreException("SAGA-DB-003", "the transaction failed: " + e, Effect.UNKNOWN, e);
        }
    }
}
