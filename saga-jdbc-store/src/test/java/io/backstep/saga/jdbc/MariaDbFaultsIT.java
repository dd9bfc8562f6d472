package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Acceptance.Kind;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.store.StoreCallback;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What happens to a real MariaDB: locks, odd rows, lost connections. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MariaDbFaultsIT {
    private static final String LOCK = "update saga_instance set headers = 'x' where saga_id = ?";
    private static final String MEGABYTE = "0123456789abcde\"".repeat(1 << 16);

    private HikariDataSource pool;
    private JdbcTransactions transactions;
    private Sagas sagas;

    @BeforeAll
    void migrate() {
        pool = TestDatabase.mariaDb().pool(config -> config.setMaximumPoolSize(20));
        SagaSchema.migrate(pool);
        TestDatabase.execute(pool, "create table orders (id int primary key)");
        transactions = new JdbcTransactions(pool);
        sagas = new Sagas(JdbcSagaStore.create(pool, transactions));
    }

    @AfterAll
    void close() {
        if (pool != null) {
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
        List<UUID> ids = sagas.owned(2);
        sagas.submit(List.of(Sagas.write(ids.get(1), 1, 0)));
        try (Connection operator = locking(ids.get(1))) {
            assertThat(sagas.submit(writes(ids))).containsExactly(Kind.ACCEPTED, Kind.STALE);
            operator.rollback();
        }
    }

    private Connection locking(UUID id) throws SQLException {
        Connection operator = pool.getConnection();
        operator.setAutoCommit(false);
        assertThat(TestDatabase.execute(operator, LOCK, bytes(id))).isEqualTo(1);
        return operator;
    }

    private static Object bytes(UUID id) {
        return Binding.Bytes.bytes(id);
    }

    @Test
    void one_refused_row_harms_no_neighbour_wherever_it_stands() {
        for (int bad : new int[] {0, 6, 12}) {
            List<UUID> ids = sagas.owned(13);
            List<Mutation> batch = new ArrayList<>(writes(ids));
            batch.set(bad, Sagas.write(ids.get(bad), 1, 0, Sagas.line("s".repeat(101), "1")));

            List<Kind> answers = sagas.submit(batch);

            assertThat(answers.get(bad)).isEqualTo(Kind.REFUSED);
            assertThat(others(answers, bad)).containsOnly(Kind.ACCEPTED);
            assertThat(ids.stream().filter(id -> lines(id).size() == 1)).hasSize(12);
            assertThat(sagas.store.find(ids.get(bad)).orElseThrow().seq()).isZero();
        }
    }

    @Test // F034
    void what_is_larger_than_a_packet_is_refused_alone() {
        List<UUID> ids = sagas.owned(3);
        List<Mutation> batch = new ArrayList<>(writes(ids));
        batch.set(1, Sagas.write(ids.get(1), 1, 0, Sagas.line("step", MEGABYTE.repeat(16))));

        List<Acceptance> answers = Told.ok((StoreCallback<List<Acceptance>> told) -> sagas.store.submit(batch, told));

        assertThat(answers).extracting(Acceptance::kind).containsExactly(Kind.ACCEPTED, Kind.REFUSED, Kind.ACCEPTED);
        assertThat(answers.get(1).cause()).hasMessageContaining("max_allowed_packet");
        assertThat(inTransaction(batch.get(1), 1)).isEqualTo(Kind.REFUSED);
        assertThat(sagas.submit(List.of(Sagas.write(ids.get(1), 1, 0)))).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void starts_that_only_together_are_larger_than_a_packet_are_all_inserted() {
        List<NewInstance> batch = List.of(large(7), large(17), large(7), large(7));

        assertThat(sagas.insert(batch))
                .containsExactly(
                        InsertResult.Kind.INSERTED,
                        InsertResult.Kind.REFUSED,
                        InsertResult.Kind.INSERTED,
                        InsertResult.Kind.INSERTED);
        assertThat(sagas.store
                        .find(batch.get(0).sagaId())
                        .orElseThrow()
                        .input()
                        .equals(batch.get(0).input()))
                .isTrue();
    }

    private NewInstance large(int megabytes) {
        NewInstance saga = sagas.saga(null, Sagas.LEASE);
        return new NewInstance(
                saga.sagaId(),
                saga.definition(),
                null,
                saga.inputHash(),
                saga.status(),
                "{}",
                MEGABYTE.repeat(megabytes),
                1,
                null,
                saga.lease());
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

    private Kind inTransaction(Mutation mutation, int order) {
        return Told.ok((StoreCallback<Acceptance> told) -> sagas.store.inTransaction(
                        () -> {
                            TestDatabase.execute(transactions.connection(), "insert into orders values (?)", order);
                            return mutation;
                        },
                        told))
                .kind();
    }

    @Test // F022
    void a_deadlock_and_a_lock_that_took_too_long_are_worth_a_rerun_and_leave_nothing() throws Exception {
        TestDatabase.execute(pool, "insert into orders values (11), (12)");
        UUID id = sagas.owned(1).get(0);
        try (Connection other = pool.getConnection()) {
            other.setAutoCommit(false);
            TestDatabase.execute(other, "update orders set id = 11 where id = 11");
            Told<Acceptance> tooLong = Told.by(told -> sagas.store.inTransaction(
                    () -> {
                        TestDatabase.execute(transactions.connection(), "insert into orders values (13)");
                        TestDatabase.execute(
                                transactions.connection(), "select id from orders where id = 11 for update wait 0");
                        return Sagas.write(id, 1, 0);
                    },
                    told));
            assertThat(sagas.store.isTransient(tooLong.failure())).isTrue();

            CompletableFuture<Integer> crossing = new CompletableFuture<>();
            Told<Acceptance> victim = Told.by(told -> sagas.store.inTransaction(
                    () -> {
                        Connection own = transactions.connection();
                        TestDatabase.execute(own, "update orders set id = 12 where id = 12");
                        // who has written more survives
                        TestDatabase.execute(other, "insert into orders values (21), (22), (23), (24), (25), (26)");
                        crossing.completeAsync(() -> update(other, 12));
                        await().until(this::somebodyWaits);
                        TestDatabase.execute(own, "update orders set id = 11 where id = 11");
                        return Sagas.write(id, 1, 0);
                    },
                    told));
            assertThat(crossing.get()).isEqualTo(1);
            assertThat(sagas.store.isTransient(victim.failure())).isTrue();
            other.rollback();
        }
        assertThat(TestDatabase.strings(pool, "select id from orders where id = 13"))
                .isEmpty();
        assertThat(lines(id)).isEmpty();
        assertThat(sagas.submit(List.of(Sagas.write(id, 1, 0)))).containsExactly(Kind.ACCEPTED);
    }

    private static int update(Connection connection, int order) {
        try {
            return TestDatabase.execute(connection, "update orders set id = id where id = ?", order);
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }

    private boolean somebodyWaits() {
        return !TestDatabase.strings(
                        pool, "select trx_id from information_schema.innodb_trx where trx_state = 'LOCK WAIT'")
                .isEmpty();
    }

    @Test
    void a_connection_that_dies_before_the_commit_leaves_nothing() throws Exception {
        List<UUID> ids = sagas.owned(2);
        try (Connection operator = pool.getConnection()) {
            operator.setAutoCommit(false);
            // the same line of history: who writes it waits
            TestDatabase.execute(
                    operator,
                    "insert into saga_step_history values (?, 1, 0, '', '', 1, '', null, null, null, null, now(), 0, '')",
                    bytes(ids.get(0)));
            CompletableFuture<Told<List<Acceptance>>> dying =
                    CompletableFuture.supplyAsync(() -> Told.by(told -> sagas.store.submit(writes(ids), told)));
            await().until(this::somebodyWaits);
            TestDatabase.strings(
                            pool,
                            "select trx_mysql_thread_id from information_schema.innodb_trx"
                                    + " where trx_state = 'LOCK WAIT'")
                    .forEach(thread -> TestDatabase.execute(pool, "kill " + thread));

            assertThat(dying.get().failure())
                    .isInstanceOfSatisfying(
                            SagaStoreException.class,
                            e -> assertThat(e.effect()).isEqualTo(Effect.NONE));
            operator.rollback();
        }
        assertThat(sagas.submit(writes(ids))).containsOnly(Kind.ACCEPTED);
    }

    private List<Mutation> writes(List<UUID> ids) {
        return ids.stream()
                .map(id -> Sagas.write(id, 1, 0, Sagas.line("step", "1")))
                .toList();
    }

    private List<HistoryRow> lines(UUID id) {
        return sagas.store.history(id);
    }

    private static List<Kind> others(List<Kind> answers, int without) {
        List<Kind> others = new ArrayList<>(answers);
        others.remove(without);
        return others;
    }
}
