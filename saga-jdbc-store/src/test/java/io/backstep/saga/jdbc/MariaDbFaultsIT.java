package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Acceptance.Kind;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.StoreCallback;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MariaDbFaultsIT extends FaultsContract {
    private static final String WAITING =
            "select trx_mysql_thread_id from information_schema.innodb_trx where trx_state = 'LOCK WAIT'";
    private static final String MEGABYTE = "0123456789abcde\"".repeat(1 << 16);

    @Override
    TestDatabase database() {
        return TestDatabase.mariaDb();
    }

    @Override
    Object parameter(UUID id) {
        return Binding.Bytes.bytes(id);
    }

    /** The same line: who writes it waits. */
    @Override
    void holdUpLines(Connection operator, UUID id) throws SQLException {
        TestDatabase.execute(
                operator,
                "insert into saga_step_history values (?, 1, 0, '', '', 1, '', null, null, null, null, now(), 0, '')",
                parameter(id));
    }

    @Override
    boolean killWhoWaits(HikariDataSource dataSource) {
        List<String> waiting = TestDatabase.strings(dataSource, WAITING);
        waiting.forEach(thread -> TestDatabase.execute(dataSource, "kill " + thread));
        return !waiting.isEmpty();
    }

    private boolean somebodyWaits() {
        return !TestDatabase.strings(pool, WAITING).isEmpty();
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

    /** The snapshot of the application hides the first cancel; InnoDB keeps the row locked for the one that is refused. */
    @Test
    void who_cancels_again_in_a_long_transaction_holds_up_no_neighbour() throws Exception {
        List<UUID> ids = sagas.owned(3);
        try (Connection application = pool.getConnection()) {
            application.setAutoCommit(false);
            application.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            transactions.join(application, () -> {
                assertThat(sagas.store.inspect(ids.get(1))).isPresent();
                for (UUID id : ids) {
                    post(id);
                }
                return assertThat(sagas.store.post(cancel(ids.get(1)))).isFalse();
            });

            assertThat(sagas.submit(ids.stream().map(FaultsContract::merging).toList()))
                    .containsExactly(Kind.ACCEPTED, Kind.LOCKED, Kind.ACCEPTED);
            application.commit();
        }
        assertThat(sagas.submit(List.of(merging(ids.get(1))))).containsExactly(Kind.ACCEPTED);
    }

    @Test
    @Timeout(120)
    void who_posts_what_another_transaction_has_posted_waits_only_shortly() throws Exception {
        UUID id = sagas.owned(1).get(0);
        try (Connection other = pool.getConnection();
                Connection application = pool.getConnection()) {
            other.setAutoCommit(false);
            application.setAutoCommit(false);
            TestDatabase.execute(application, "set innodb_lock_wait_timeout = 3600");
            transactions.join(other, () -> sagas.store.post(cancel(id)));

            transactions.join(application, () -> {
                assertThatThrownBy(() -> sagas.store.post(cancel(id)))
                        .hasMessageStartingWith("SAGA-DB-012: another transaction has written the same for saga " + id);
                return assertThat(sagas.store.post(new Mail(id, "more", Mail.Kind.COMPENSATE, "usable")))
                        .isTrue();
            });
            application.commit();
            other.commit();
            TestDatabase.execute(application, "set innodb_lock_wait_timeout = default");
            application.commit();
        }
        assertThat(sagas.store.inspect(id).orElseThrow().mail())
                .extracting(Mail::messageId)
                .containsExactlyInAnyOrder("cancel", "more");
    }

    @Test
    void a_cancel_that_is_there_keeps_nothing_locked() throws Exception {
        UUID id = sagas.owned(1).get(0);
        Mail cancel = cancel(id);
        transactions.inTransaction(() -> sagas.store.post(cancel));

        transactions.inTransaction(() -> {
            assertThat(sagas.store.post(cancel)).isFalse();
            return assertThat(TestDatabase.strings(
                            pool,
                            "select message_id from saga_signal where saga_id = ? for update nowait",
                            parameter(id)))
                    .containsExactly("cancel");
        });
    }
}
