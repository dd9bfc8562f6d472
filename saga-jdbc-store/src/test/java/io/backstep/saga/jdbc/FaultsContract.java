package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Acceptance.Kind;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.store.StoreCallback;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What happens to a real database: locks, odd rows, lost connections. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FaultsContract {
    private static final String LOCK = "update saga_instance set headers = 'x' where saga_id = ?";

    private final FailingCommits commits = new FailingCommits();
    HikariDataSource pool;
    JdbcTransactions transactions;
    Sagas sagas;

    abstract TestDatabase database();

    /** An id as this database takes it. */
    abstract Object parameter(UUID id);

    /** Makes whoever writes the first line of this saga's history wait. */
    abstract void holdUpLines(Connection operator, UUID id) throws SQLException;

    /** Calls while the next commit of the store fails like that. */
    void losing(FailingCommits.Mode how, Runnable call) throws Exception {
        commits.mode = how;
        call.run();
        commits.mode = FailingCommits.Mode.NONE;
    }

    /** What is known of a write whose connection broke before its commit. */
    Effect whenCutOff() {
        return Effect.NONE;
    }

    /** Ends the connections that wait for a lock; true when there was one. */
    abstract boolean killWhoWaits(HikariDataSource dataSource);

    @BeforeAll
    void migrate() {
        pool = database().pool(config -> config.setMaximumPoolSize(20));
        SagaSchema.migrate(pool);
        TestDatabase.execute(pool, "create table orders (id int primary key)");
        transactions = new JdbcTransactions(commits.wrap(pool));
        sagas = new Sagas(JdbcSagaStore.create(commits.wrap(pool), transactions));
    }

    @AfterAll
    void close() {
        if (pool != null) { // else there is no such server
            pool.close();
        }
    }

    @Test // X7
    void a_row_that_an_operator_has_locked_stops_only_itself() throws Exception {
        List<UUID> ids = sagas.owned(20);
        List<Mutation> batch = writes(ids);
        try (Connection operator = locking(ids.get(7))) {
            List<Kind> answers = sagas.submit(batch);

            assertThat(answers.get(7)).isEqualTo(Kind.LOCKED);
            assertThat(others(answers, 7)).containsOnly(Kind.ACCEPTED);
            assertThat(lines(ids.get(7))).isEmpty();
            assertThat(sagas.submit(List.of(batch.get(7)))).as("alone").containsExactly(Kind.LOCKED);
            operator.rollback();
        }
        assertThat(sagas.submit(List.of(batch.get(7)))).containsExactly(Kind.ACCEPTED);
        assertThat(lines(ids.get(7))).hasSize(1);
    }

    @Test // X7
    void a_locked_row_whose_fence_is_gone_is_stale_and_not_locked() throws Exception {
        List<UUID> ids = sagas.owned(3);
        sagas.submit(List.of(Sagas.write(ids.get(1), 1, 0)));
        try (Connection operator = locking(ids.get(1), ids.get(2))) {
            assertThat(sagas.submit(writes(ids))).containsExactly(Kind.ACCEPTED, Kind.STALE, Kind.LOCKED);
            operator.rollback();
        }
    }

    @Test
    void renewal_passes_a_locked_row() throws Exception {
        List<UUID> ids = sagas.owned(2);
        List<Held> held = ids.stream().map(id -> new Held(id, 1)).toList();
        try (Connection operator = locking(ids.get(0))) {
            assertThat(Told.ok((StoreCallback<Set<UUID>> told) -> sagas.store.renew(held, Sagas.LEASE, told)))
                    .containsExactly(ids.get(1));
            operator.rollback();
        }
    }

    @Test
    void one_refused_row_harms_no_neighbour_wherever_it_stands() {
        for (int bad : new int[] {0, 6, 12}) {
            List<UUID> ids = sagas.owned(13);
            List<Mutation> batch = new ArrayList<>(writes(ids));
            batch.set(bad, Sagas.write(ids.get(bad), 1, 0, Sagas.line("s".repeat(101), "1")));

            List<Acceptance> answers =
                    Told.ok((StoreCallback<List<Acceptance>> told) -> sagas.store.submit(batch, told));

            assertThat(answers.get(bad).kind()).isEqualTo(Kind.REFUSED);
            assertThat(answers.get(bad).cause()).isInstanceOf(SQLException.class);
            assertThat(others(answers.stream().map(Acceptance::kind).toList(), bad))
                    .containsOnly(Kind.ACCEPTED);
            assertThat(ids.stream().filter(id -> lines(id).size() == 1)).hasSize(12);
            assertThat(sagas.store.find(ids.get(bad)).orElseThrow().seq()).isZero();
        }
    }

    @Test // F034
    void text_that_the_database_cannot_hold_is_refused_alone() {
        List<UUID> ids = sagas.owned(3);
        List<Mutation> batch = new ArrayList<>(writes(ids));
        batch.set(1, Sagas.write(ids.get(1), 1, 0, Sagas.line("step", "\"a\u0000b\"")));

        assertThat(sagas.submit(batch)).containsExactly(Kind.ACCEPTED, Kind.REFUSED, Kind.ACCEPTED);

        List<NewInstance> starts =
                List.of(sagas.saga("fine", null), sagas.saga("a\u0000b", null), sagas.saga("lone \ud800", null));
        assertThat(sagas.insert(starts))
                .containsExactly(InsertResult.Kind.INSERTED, InsertResult.Kind.REFUSED, InsertResult.Kind.REFUSED);
    }

    @Test
    void one_refused_start_harms_no_neighbour() {
        List<NewInstance> batch = new ArrayList<>(sagas.sagas(9, null));
        batch.set(4, sagas.saga("k".repeat(201), null));

        List<InsertResult.Kind> kinds = sagas.insert(batch);

        assertThat(kinds.get(4)).isEqualTo(InsertResult.Kind.REFUSED);
        assertThat(Collections.frequency(kinds, InsertResult.Kind.INSERTED)).isEqualTo(8);
    }

    @Test
    void what_is_stale_leaves_no_trace_alone_or_in_a_batch() {
        List<UUID> ids = sagas.owned(4);
        List<Mutation> batch = List.of(
                Sagas.write(ids.get(0), 1, 0, Sagas.line("step", "1")),
                Sagas.write(ids.get(1), 2, 0, Sagas.line("step", "1")),
                Sagas.write(ids.get(2), 1, 1, Sagas.line("step", "1")),
                Sagas.write(UUID.randomUUID(), 1, 0, Sagas.line("step", "1")));

        assertThat(sagas.submit(batch)).containsExactly(Kind.ACCEPTED, Kind.STALE, Kind.STALE, Kind.STALE);
        assertThat(sagas.submit(List.of(batch.get(1)))).containsExactly(Kind.STALE);
        assertThat(sagas.submit(List.of(new Mutation(
                        new Fence(ids.get(3), 7, 0),
                        SagaStatus.RUNNING,
                        null,
                        null,
                        Hold.KEEP,
                        Sagas.big(ids.get(3), 2).history(),
                        Sagas.big(ids.get(3), 2).compensations()))))
                .containsExactly(Kind.STALE);

        assertThat(lines(ids.get(0))).hasSize(1);
        for (UUID id : ids.subList(1, 4)) {
            assertThat(lines(id)).isEmpty();
            assertThat(sagas.store.compensations(id)).isEmpty();
        }
    }

    @Test
    void a_write_of_any_size_is_the_same_alone_and_in_a_batch() {
        for (int size : new int[] {0, 1, 4, 5, 40}) {
            List<UUID> ids = sagas.owned(3);
            sagas.submit(List.of(Sagas.big(ids.get(0), size)));
            sagas.submit(List.of(Sagas.big(ids.get(1), size), Sagas.big(ids.get(2), size)));

            List<HistoryRow> alone = sagas.store.history(ids.get(0));
            assertThat(alone).hasSize(size).extracting(HistoryRow::ordinal).isSorted();
            assertThat(sagas.store.history(ids.get(2)))
                    .usingRecursiveComparison()
                    .ignoringFields("startedAt")
                    .isEqualTo(alone);
            assertThat(sagas.store.compensations(ids.get(2)))
                    .usingRecursiveComparison()
                    .ignoringFields("createdAt", "updatedAt", "nextRetryAt")
                    .isEqualTo(sagas.store.compensations(ids.get(0)));
            assertThat(sagas.store.compensations(ids.get(1))).hasSize(size);
        }
    }

    @Test
    void after_a_commit_that_was_lost_only_taking_the_epoch_tells() throws Exception {
        for (FailingCommits.Mode mode :
                List.of(FailingCommits.Mode.APPLIED, FailingCommits.Mode.NOT_APPLIED, FailingCommits.Mode.REFUSED)) {
            UUID id = sagas.owned(1).get(0);
            AtomicReference<Told<List<Acceptance>>> told = new AtomicReference<>();
            losing(mode, () -> told.set(Told.by(answer -> sagas.store.submit(writes(List.of(id)), answer))));
            Told<List<Acceptance>> lost = told.get();

            assertThat(lost.failure())
                    .isInstanceOfSatisfying(
                            SagaStoreException.class,
                            e -> assertThat(e.effect())
                                    .isEqualTo(mode == FailingCommits.Mode.REFUSED ? Effect.NONE : Effect.UNKNOWN));
            assertThat(sagas.store.isTransient(lost.failure())).isEqualTo(mode == FailingCommits.Mode.REFUSED);
            boolean applied = Told.ok((StoreCallback<Optional<Claimed>> answer) ->
                                    sagas.store.recover(new Held(id, 1), Sagas.LEASE, answer))
                            .orElseThrow()
                            .row()
                            .seq()
                    == 1;
            assertThat(applied).isEqualTo(mode == FailingCommits.Mode.APPLIED);
            assertThat(lines(id)).hasSize(applied ? 1 : 0);
            assertThat(sagas.submit(writes(List.of(id)))).as("the old epoch").containsExactly(Kind.STALE);
        }
    }

    @Test
    void a_connection_that_dies_before_the_commit_leaves_nothing() throws Exception {
        List<UUID> ids = sagas.owned(2);
        try (Connection operator = pool.getConnection()) {
            operator.setAutoCommit(false);
            holdUpLines(operator, ids.get(0));
            CompletableFuture<Told<List<Acceptance>>> dying =
                    CompletableFuture.supplyAsync(() -> Told.by(told -> sagas.store.submit(writes(ids), told)));
            await().until(() -> killWhoWaits(pool));

            assertThat(dying.get().failure())
                    .isInstanceOfSatisfying(
                            SagaStoreException.class,
                            // killed while it wrote row by row, after its lock timeout, it has certainly not come to
                            // the commit
                            e -> assertThat(e.effect()).isIn(whenCutOff(), Effect.NONE));
            operator.rollback();
        }
        assertThat(sagas.submit(writes(ids))).containsOnly(Kind.ACCEPTED);
    }

    @Test
    void what_the_work_of_a_transaction_throws_is_handed_over_as_it_is() {
        UUID id = sagas.owned(1).get(0);
        SQLException ofTheWork = new SQLException("mine", "40001");

        Told<Acceptance> told = Told.by(callback -> sagas.store.inTransaction(
                () -> {
                    throw ofTheWork;
                },
                callback));

        assertThat(told.failure()).isSameAs(ofTheWork);
        assertThat(sagas.store.isTransient(told.failure())).isTrue();
        assertThat(sagas.store.find(id).orElseThrow().seq()).isZero();
    }

    @Test
    void a_transactional_write_to_a_locked_or_stale_row_takes_the_work_with_it() throws Exception {
        List<UUID> ids = sagas.owned(2);
        try (Connection operator = locking(ids.get(0))) {
            assertThat(inTransaction(Sagas.write(ids.get(0), 1, 0), 2)).isEqualTo(Kind.LOCKED);
            assertThat(inTransaction(Sagas.write(ids.get(1), 5, 0), 2)).isEqualTo(Kind.STALE);
            assertThat(TestDatabase.strings(pool, "select id from orders where id = 2"))
                    .isEmpty();
            operator.rollback();
        }
        assertThat(inTransaction(Sagas.write(ids.get(0), 1, 0), 2)).isEqualTo(Kind.ACCEPTED);
        assertThat(TestDatabase.strings(pool, "select id from orders where id = 2"))
                .hasSize(1);
    }

    @Test
    void mail_that_somebody_has_locked_stops_only_its_saga() throws Exception {
        List<UUID> ids = sagas.owned(3);
        for (UUID id : ids) {
            post(id);
        }
        try (Connection operator = pool.getConnection()) {
            operator.setAutoCommit(false);
            TestDatabase.execute(
                    operator, "update saga_signal set reason = 'x' where saga_id = ?", parameter(ids.get(1)));

            assertThat(sagas.submit(ids.stream().map(FaultsContract::merging).toList()))
                    .containsExactly(Kind.ACCEPTED, Kind.LOCKED, Kind.ACCEPTED);
            assertThat(inTransaction(merging(ids.get(1)), 3)).isEqualTo(Kind.LOCKED);
            operator.rollback();
        }
        assertThat(mail(ids.get(0))).isEmpty();
        assertThat(mail(ids.get(1))).hasSize(1);
        assertThat(inTransaction(merging(ids.get(1)), 3)).isEqualTo(Kind.ACCEPTED);
        assertThat(mail(ids.get(1))).isEmpty();
    }

    static Mail cancel(UUID id) {
        return new Mail(id, "cancel", Mail.Kind.CANCEL, "changed mind");
    }

    /** In a transaction of its own. */
    void post(UUID id) throws Exception {
        assertThat(transactions.<Boolean>inTransaction(() -> sagas.store.post(cancel(id))))
                .isTrue();
    }

    List<Mail> mail(UUID id) {
        return sagas.store.inspect(id).orElseThrow().mail();
    }

    static Mutation merging(UUID id) {
        return new Mutation(
                new Fence(id, 1, 0),
                SagaStatus.RUNNING,
                null,
                "{}",
                Hold.KEEP,
                List.of(),
                List.of(),
                List.of("cancel"),
                List.of());
    }

    Connection locking(UUID... ids) throws SQLException {
        Connection operator = pool.getConnection();
        operator.setAutoCommit(false);
        for (UUID id : ids) {
            assertThat(TestDatabase.execute(operator, LOCK, parameter(id))).isEqualTo(1);
        }
        return operator;
    }

    Kind inTransaction(Mutation mutation, int order) {
        return Told.ok((StoreCallback<Acceptance> told) -> sagas.store.inTransaction(
                        () -> {
                            TestDatabase.execute(transactions.connection(), "insert into orders values (?)", order);
                            return mutation;
                        },
                        told))
                .kind();
    }

    List<Mutation> writes(List<UUID> ids) {
        return ids.stream()
                .map(id -> Sagas.write(id, 1, 0, Sagas.line("step", "1")))
                .toList();
    }

    List<HistoryRow> lines(UUID id) {
        return sagas.store.history(id);
    }

    private static List<Kind> others(List<Kind> answers, int without) {
        List<Kind> others = new ArrayList<>(answers);
        others.remove(without);
        return others;
    }
}
