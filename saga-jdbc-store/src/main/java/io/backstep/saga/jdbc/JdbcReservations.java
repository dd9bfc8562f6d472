package io.backstep.saga.jdbc;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.Shown;
import io.backstep.saga.Step;
import io.backstep.saga.jdbc.ReservationStatements.Expired;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.ConfirmationAnswer;
import io.backstep.saga.participant.InsufficientStockException;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.Reservation;
import io.backstep.saga.participant.Stock;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A participant that reserves quantities of items: try, confirm, cancel, and the release of what has expired, on PostgreSQL, H2 or
 * MariaDB. Needs the tables of {@link SagaSchema#participantDdl} and no engine. Never more is reserved than there is. Each call is
 * idempotent under its id (the idempotency key of the step), and is in the calling thread's transaction, or in one of its own. Safe for
 * use by many threads.
 *
 * <pre>{@code
 * .tcc(RESERVE)
 *     .tryAction(c -> reservations.tryReserve(c.idempotencyKey(), c.input().sku(), c.input().quantity(), Duration.ofMinutes(15)))
 *     .confirm((c, reservation) -> reservations.confirm(c.idempotencyKey()))
 *     .cancel((c, reservation) -> reservations.cancel(c.idempotencyKey()))
 * }</pre>
 *
 * <p>The rules are the guard's ({@link ParticipantGuard}), and so are its rows: {@link ParticipantGuards#purge} deletes what is
 * known of reservations that ended long ago.
 */
public final class JdbcReservations {
    private static final Logger log = LoggerFactory.getLogger(JdbcReservations.class);

    private static final Step<Reservation> RESERVE = Step.named("reserve", Reservation.class);
    private static final int LONGEST_NAME = 200;
    private static final int BATCH = 100;
    /** How often the database may let others go first. */
    private static final int TRIES = 20;

    private final JdbcConnections connections;
    private final SagaSchema.Options options;
    private final ParticipantGuard<Reservation> guard;
    private volatile @Nullable ReservationStatements known;

    private JdbcReservations(DataSource dataSource, JdbcConnections connections, SagaSchema.Options options) {
        this.connections = connections;
        this.options = options;
        this.guard = new ParticipantGuards(JdbcGuardStore.create(dataSource, connections, options), connections)
                .guard(RESERVE);
    }

    /**
     * Makes them on the default tables, see {@link #create(DataSource, JdbcConnections, SagaSchema.Options)}.
     *
     * @param dataSource the participant's database
     * @param connections the transactions of the same database
     * @return the participant
     */
    public static JdbcReservations create(DataSource dataSource, JdbcConnections connections) {
        return create(dataSource, connections, SagaSchema.Options.DEFAULT);
    }

    /**
     * Makes them. The database is first asked at the first call, on the connection of the transaction that the call is in, and
     * {@link io.backstep.saga.SagaConfigurationException} {@code SAGA-CFG-002} is thrown then when it is not supported.
     *
     * @param dataSource the participant's database
     * @param connections the transactions of the same database
     * @param options where the tables are
     * @return the participant
     */
    public static JdbcReservations create(
            DataSource dataSource, JdbcConnections connections, SagaSchema.Options options) {
        return new JdbcReservations(dataSource, connections, options);
    }

    /**
     * Adds to what is available of an item, or takes from it. Not idempotent: an item's first stock, a delivery, a count.
     *
     * @param item its name, 1 to 200 characters
     * @param quantity how much more, negative for less
     * @throws InsufficientStockException when less than that is available
     * @throws SagaStoreException when the database does not do it
     */
    public void change(String item, long quantity) {
        SagaRequestException.requireText("item", item, LONGEST_NAME);
        boolean changed = call(joined -> within(
                () -> move(joined, item, connection -> statements(connection).change(connection, item, quantity))));
        if (!changed) {
            throw new InsufficientStockException(item, -quantity);
        }
    }

    /**
     * What there is of an item.
     *
     * @param item its name
     * @return its stock; empty for an item that was never there
     * @throws SagaStoreException when the database does not tell
     */
    public Optional<Stock> stock(String item) {
        return call(joined -> within(
                () -> move(false, item, connection -> statements(connection).stock(connection, item))));
    }

    /**
     * Reserves one item, see {@link #tryReserve(String, Map, Duration)}.
     *
     * @param id the idempotency key of the step, 1 to 200 characters
     * @param item which, 1 to 200 characters
     * @param quantity how much, more than zero
     * @param expiresAfter for how long at least, more than zero
     * @return the reservation
     */
    public Reservation tryReserve(String id, String item, long quantity, Duration expiresAfter) {
        return tryReserve(id, Map.of(item, quantity), expiresAfter);
    }

    /**
     * Reserves items, all or none. The same id again gets the first reservation, whatever it asks for.
     *
     * @param id the idempotency key of the step, 1 to 200 characters
     * @param items how much of each, at least one; names of 1 to 200 characters, quantities of more than zero
     * @param expiresAfter for how long at least, more than zero: then {@link #sweep} gives it back, unless it was confirmed
     * @return the reservation
     * @throws InsufficientStockException when there is not enough of one
     * @throws OperationRefusedException {@code SAGA-GRD-001} when it was cancelled, or has expired, or its cancel came first
     * @throws OperationBusyException when another call is not over; try again later
     * @throws SagaRequestException {@code SAGA-REQ-001} or {@code SAGA-REQ-004} for a bad argument, {@code SAGA-GRD-003} when the id is of
     *     another operation
     * @throws SagaStoreException when the database does not do it
     */
    public Reservation tryReserve(String id, Map<String, Long> items, Duration expiresAfter) {
        Reservation wanted = checked(id, items);
        if (expiresAfter.isNegative() || expiresAfter.isZero()) {
            throw bad("expiresAfter", "a reservation expires after " + expiresAfter + "; more than zero is needed");
        }
        return call(joined -> guard.action(
                id,
                () -> move(joined, id, connection -> {
                    statements(connection).hold(connection, wanted, expiresAfter);
                    return wanted;
                })));
    }

    private static Reservation checked(String id, Map<String, Long> items) {
        if (items.isEmpty()) {
            throw bad("items", "nothing is to be reserved; at least one item is needed");
        }
        items.forEach((item, quantity) -> {
            SagaRequestException.requireText("item", item, LONGEST_NAME);
            if (quantity <= 0) {
                throw bad("quantity", quantity + " of " + Shown.quoted(item) + "; more than zero is needed");
            }
        });
        return new Reservation(id, items);
    }

    private static SagaRequestException bad(String field, String message) {
        return new SagaRequestException("SAGA-REQ-004", field, message);
    }

    /**
     * Takes out what is reserved: it is neither available nor frozen from then on.
     *
     * @param id the same as the try's
     * @return how it was
     * @throws OperationRefusedException {@code SAGA-GRD-010} when it was cancelled, or has expired and was released; {@code SAGA-GRD-011} when
     *     there is none
     * @throws OperationBusyException when another call is not over; try again later
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad id, {@code SAGA-GRD-003} when it is of another operation
     * @throws SagaStoreException when the database does not do it
     */
    public ConfirmationAnswer confirm(String id) {
        return call(joined -> guard.confirmation(
                id,
                reservation -> move(joined, id, connection -> {
                    statements(connection).takeOut(connection, reservation);
                    return true;
                })));
    }

    /**
     * Gives back what is reserved. Without a reservation that is recorded, and a try that comes later is refused.
     *
     * @param id the same as the try's
     * @return how it was; {@link CompensationAnswer#DUPLICATE} also when it has expired
     * @throws OperationRefusedException {@code SAGA-GRD-012} when it was confirmed
     * @throws OperationBusyException when another call is not over; try again later
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad id, {@code SAGA-GRD-003} when it is of another operation
     * @throws SagaStoreException when the database does not do it
     */
    public CompensationAnswer cancel(String id) {
        return release(id, guard);
    }

    private CompensationAnswer release(String id, ParticipantGuard<Reservation> by) {
        return call(joined -> by.compensation(
                id,
                recorded -> move(joined, id, connection -> {
                    Reservation held = recorded.isPresent()
                            ? recorded.get()
                            : statements(connection).lines(connection, id);
                    statements(connection).giveBack(connection, held);
                    return true;
                })));
    }

    /**
     * Gives back what has expired, each reservation in a transaction of its own, until none is left. What is locked is left for the next
     * time; what fails is logged, too. Several may sweep at once, and beside everything else: of a sweep and a confirmation one wins.
     *
     * @return how many reservations were given back
     * @throws IllegalStateException inside a transaction
     * @throws SagaStoreException when the database does not answer
     */
    public int sweep() {
        if (connections.isActive()) {
            throw new IllegalStateException("SAGA-GRD-005: reservations are swept inside a transaction;"
                    + " each is released in one of its own, so call it outside");
        }
        int all = 0;
        Expired last = Expired.NONE;
        List<Expired> page;
        do {
            page = expired(last);
            all += (int) page.stream()
                    .map(Expired::id)
                    .distinct()
                    .filter(this::expire)
                    .count();
            last = page.isEmpty() ? last : page.get(page.size() - 1);
        } while (page.size() == BATCH);
        return all;
    }

    private List<Expired> expired(Expired last) {
        return call(unused -> within(() -> {
            Connection connection = connections.connection();
            return statements(connection).expired(connection, last, BATCH);
        }));
    }

    /** Also what the guard has forgotten, before a cancel or after one. */
    private boolean expire(String id) {
        try {
            return release(id, guard.alwaysCompensating()) == CompensationAnswer.DONE || releaseLeft(id);
        } catch (OperationRefusedException e) {
            return false; // confirmed meanwhile
        } catch (OperationBusyException e) {
            log.debug("reservation {} has expired, and is locked; left for the next time", id);
            return false;
        } catch (RuntimeException e) {
            log.warn("reservation {} has expired, and could not be released; it stays for the next time", id, e);
            return false;
        }
    }

    private boolean releaseLeft(String id) {
        return call(joined -> within(() -> move(joined, id, connection -> {
            Reservation left = statements(connection).lines(connection, id);
            statements(connection).giveBack(connection, left);
            return !left.items().isEmpty();
        })));
    }

    private interface Call<T> {
        T run(boolean joined) throws Exception;
    }

    private interface Move<T> {
        T run(Connection connection) throws SQLException;
    }

    /** In the caller's transaction, or in its own, which is run again when the database lets another one go first. */
    private <T> T call(Call<T> call) {
        boolean joined = connections.isActive();
        for (int tries = 1; ; tries++) {
            try {
                return call.run(joined);
            } catch (RuntimeException e) {
                if (joined || tries == TRIES || !hasYielded(e)) {
                    throw e;
                }
            } catch (Exception e) {
                throw new SagaStoreException("SAGA-DB-003", "the transaction failed: " + e, Effect.UNKNOWN, e);
            }
        }
    }

    private static boolean hasYielded(RuntimeException failure) {
        if (failure instanceof OperationBusyException busy) {
            return busy.transactionLost();
        }
        return failure instanceof SagaStoreException store
                && store.effect() == Effect.NONE
                && Failures.isTransient(failure);
    }

    private interface Work<T> {
        T run() throws SQLException;
    }

    private <T> T within(Work<T> work) throws Exception {
        return connections.isActive() ? work.run() : connections.inTransaction(work::run);
    }

    /** A caller that goes on after a failure finds nothing of what has failed in its transaction. */
    private <T> T move(boolean joined, String what, Move<T> move) {
        Connection connection = connections.connection();
        try {
            return joined ? Savepoints.behind(connection, move::run) : move.run(connection);
        } catch (SQLException e) {
            throw Failures.ofOperation(what, e);
        }
    }

    private ReservationStatements statements(Connection connection) throws SQLException {
        ReservationStatements statements = known;
        if (statements == null) {
            Product product = SagaSchema.product(connection);
            Sql sql = new Sql(options, product);
            statements = new ReservationStatements(sql, product.dialect(sql, new Reach(System::nanoTime)));
            known = statements;
        }
        return statements;
    }
}
