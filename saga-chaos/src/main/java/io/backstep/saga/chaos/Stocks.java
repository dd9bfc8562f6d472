package io.backstep.saga.chaos;

import io.backstep.saga.definition.StepContext;
import io.backstep.saga.jdbc.JdbcReservations;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.participant.Reservation;
import io.backstep.saga.testsupport.TestPostgres;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import javax.sql.DataSource;

/** What TCC steps reserve: a few items, in the database that is harmed. Each call is noted at the far ends, too, before it is made. */
public final class Stocks {
    /** The step whose calls these are; its participant is not a far end. */
    static final String STEP = "naive-stock";

    private static final int ITEMS = 8;
    private static final long THERE = 1_000_000;
    private static final Duration FOR_SAGAS = Duration.ofHours(1);

    /** What is held by a saga that has neither completed nor been compensated, or by nobody: as if an hour had passed. */
    private static final String PASS_AN_HOUR = """
            update saga_reservation r set expires_at = clock_timestamp() where not exists (
              select 1 from chaos_instance i where i.status in ('COMPLETED', 'COMPENSATED') and r.reservation_id like i.saga_id || ':%')
            """;

    private final JdbcReservations reservations;
    private final Far far;
    private final Failpoints failpoints;

    /**
     * Makes them for one node.
     *
     * @param dataSource of the database that is harmed
     * @param transactions on it
     * @param far where calls are noted
     * @param failpoints told after each call
     */
    public Stocks(DataSource dataSource, JdbcTransactions transactions, Far far, Failpoints failpoints) {
        this.reservations = JdbcReservations.create(dataSource, transactions);
        this.far = far;
        this.failpoints = failpoints;
    }

    private static String item(long number) {
        return "item-" + Math.floorMod(number, ITEMS);
    }

    /** Before anybody reserves. */
    void fill() {
        for (int i = 0; i < ITEMS; i++) {
            reservations.change(item(i), THERE);
        }
    }

    Reservation tryReserve(StepContext<Task> context) throws Exception {
        far.act(context, Mood.WELL);
        long number = context.input().number();
        Reservation held = reservations.tryReserve(
                context.idempotencyKey(), item(number), 1 + Math.floorMod(number, 3), FOR_SAGAS);
        failpoints.hit("action.after");
        return held;
    }

    void confirm(StepContext<Task> context) throws Exception {
        far.confirm(context, Mood.WELL);
        reservations.confirm(context.idempotencyKey());
        failpoints.hit("confirm.after");
    }

    void cancel(StepContext<Task> context) throws Exception {
        far.undo(context, Mood.WELL);
        reservations.cancel(context.idempotencyKey());
        failpoints.hit("compensation.after");
    }

    /** Somebody reserves and never comes back; and what has expired is given back, on every node. */
    void forget(Random random) {
        reservations.tryReserve(
                "forgotten:" + UUID.randomUUID(),
                item(random.nextInt(ITEMS)),
                1,
                Duration.ofMillis(1 + random.nextInt(1000)));
        reservations.sweep();
    }

    /** Once no node is left. What sagas hold that have ended well is not given back: it must not be there. */
    static void sweepAll(TestPostgres.Db database) throws Exception {
        Sql.execute(database, PASS_AN_HOUR);
        NodeOptions options = NodeOptions.defaults();
        try (var dataSource = ChaosNode.pool(options, database.url(), 2)) {
            JdbcReservations.create(dataSource, new JdbcTransactions(dataSource))
                    .sweep();
        }
    }
}
