package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Orphan;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Outcome;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Swept;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.testsupport.PostgresServer;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TwoPhaseIT {
    private TwoPhaseFixture bank;
    private TwoPhaseParticipant debit;
    private String account;
    private final String key = UUID.randomUUID() + ":debit";

    @BeforeEach
    void open() {
        bank = TwoPhaseFixture.open();
        debit = participant();
        account = bank.account(100);
    }

    /** As another process would have it. */
    private TwoPhaseParticipant participant() {
        return TwoPhaseParticipant.create("debit", bank.dataSource);
    }

    @AfterEach
    void close() {
        bank.close();
    }

    private String prepared(String each) {
        return ReservationFixture.answer(
                () -> participant().prepare(each, connection -> TwoPhaseFixture.move(connection, account, -10)));
    }

    private String committed(String each) {
        return ReservationFixture.answer(() -> participant().commit(each));
    }

    private String rolledBack(String each) {
        return ReservationFixture.answer(() -> participant().rollback(each));
    }

    @Test
    void what_is_prepared_is_seen_when_it_is_committed_and_stays() {
        assertThat(prepared(key)).isEqualTo("YES");
        assertThat(prepared(key)).isEqualTo("YES");
        assertThat(bank.balance(account)).isEqualTo(100);

        assertThat(committed(key)).isEqualTo("DONE");
        assertThat(committed(key)).isEqualTo("DUPLICATE");
        assertThat(bank.balance(account)).isEqualTo(90);

        assertThat(rolledBack(key)).isEqualTo("SAGA-GRD-012");
        assertThat(prepared(key)).isEqualTo("YES");
        assertThat(bank.balance(account)).isEqualTo(90);
        assertThat(bank.prepared()).isEmpty();
    }

    @Test
    void what_was_just_committed_is_not_rolled_back() {
        prepared(key);
        committed(key);

        assertThat(rolledBack(key)).isEqualTo("SAGA-GRD-012");
        assertThat(committed(key)).isEqualTo("DUPLICATE");
    }

    @Test
    void what_is_rolled_back_is_gone_and_a_late_prepare_or_commit_is_refused() {
        prepared(key);

        assertThat(rolledBack(key)).isEqualTo("DONE");
        assertThat(rolledBack(key)).isEqualTo("DUPLICATE");

        assertThat(prepared(key)).isEqualTo("SAGA-GRD-001");
        assertThat(committed(key)).isEqualTo("SAGA-GRD-010");
        assertThat(bank.balance(account)).isEqualTo(100);
        assertThat(bank.prepared()).isEmpty();
    }

    @Test
    void a_rollback_before_its_prepare_is_recorded() {
        assertThat(rolledBack(key)).isEqualTo("EMPTY");
        assertThat(prepared(key)).isEqualTo("SAGA-GRD-001");
    }

    @Test
    void what_was_never_prepared_is_not_committed() {
        assertThat(committed(key)).isEqualTo("SAGA-GRD-011");
        assertThat(prepared(key)).isEqualTo("SAGA-GRD-001");
        assertThat(rolledBack(key)).isEqualTo("DUPLICATE");
    }

    @Test
    void a_rollback_that_was_interrupted_before_its_record_is_recorded_by_the_next() {
        prepared(key);
        TestDatabase.execute(
                bank.dataSource, "rollback prepared '" + bank.prepared().get(0) + "'");

        assertThat(rolledBack(key)).isEqualTo("EMPTY");
        assertThat(prepared(key)).isEqualTo("SAGA-GRD-001");
    }

    @Test
    void a_vote_of_no_prepares_nothing_and_may_be_asked_again() {
        assertThatThrownBy(() -> debit.prepare(key, connection -> {
                    TwoPhaseFixture.move(connection, account, -10);
                    throw new StepRejectedException("NO-MONEY", "no");
                }))
                .isInstanceOf(StepRejectedException.class);
        assertThatThrownBy(() -> debit.prepare(key, connection -> TwoPhaseFixture.move(connection, account, -1_000)))
                .isInstanceOf(SQLException.class);

        assertThat(bank.prepared()).isEmpty();
        assertThat(prepared(key)).isEqualTo("YES");
        assertThat(committed(key)).isEqualTo("DONE");
        assertThat(bank.balance(account)).isEqualTo(90);
    }

    @Test // PostgreSQL answers PREPARE in a failed transaction with a rollback, and no error
    void work_that_hides_a_failure_of_its_transaction_is_no_vote_of_yes() {
        assertThatThrownBy(() -> debit.prepare(key, connection -> {
                    TwoPhaseFixture.move(connection, account, -10);
                    assertThatThrownBy(() -> TwoPhaseFixture.move(connection, account, -1_000))
                            .isInstanceOf(SQLException.class);
                }))
                .isInstanceOf(RuntimeException.class);

        assertThat(bank.prepared()).isEmpty();
        assertThat(committed(key)).isEqualTo("SAGA-GRD-011");
    }

    @Test
    void work_cannot_end_its_transaction() {
        assertThatThrownBy(() -> debit.prepare(key, connection -> connection.commit()))
                .hasMessageContaining("SAGA-DB-007");
        assertThat(bank.prepared()).isEmpty();
    }

    @Test
    void what_cannot_be_prepared_is_told_and_leaves_nothing() {
        assertThatThrownBy(() -> debit.prepare(key, connection -> {
                    TestDatabase.execute(connection, "create temporary table t (id int)");
                    TestDatabase.execute(connection, "insert into t values (1)");
                }))
                .hasMessageContaining("SAGA-DB-003");
        assertThat(bank.prepared()).isEmpty();
    }

    @ParameterizedTest // S5
    @MethodSource("io.backstep.saga.jdbc.GidsTest#keys")
    void any_key_is_prepared_committed_and_listed(String each) {
        prepared(each);
        assertThat(debit.orphans(Duration.ZERO)).extracting(Orphan::gid).isEqualTo(bank.prepared());

        assertThat(committed(each)).isEqualTo("DONE");
        assertThat(committed(each)).isEqualTo("DUPLICATE");
        assertThat(bank.balance(account)).isEqualTo(90);
    }

    @Test
    void keys_that_no_guard_keeps_are_refused() {
        for (String each : List.of("", " ", "x".repeat(201))) {
            assertThatThrownBy(() -> debit.prepare(each, connection -> {})).isInstanceOf(SagaRequestException.class);
            assertThatThrownBy(() -> debit.commit(each)).isInstanceOf(SagaRequestException.class);
        }
        assertThatThrownBy(() -> TwoPhaseParticipant.create("a'b", bank.dataSource))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void while_a_prepare_is_under_way_a_rollback_is_told_to_come_back() throws Exception {
        debit.prepare(key, connection -> {
            assertThatThrownBy(() -> participant().rollback(key)).isInstanceOf(OperationBusyException.class);
        });

        assertThat(rolledBack(key)).isEqualTo("DONE");
        assertThat(bank.prepared()).isEmpty();
    }

    @Test // two that wait for each other in two databases would wait for ever
    void work_waits_shortly_for_what_another_has_locked() throws Exception {
        prepared(key);
        TwoPhaseParticipant impatient = debit.withPatience(Duration.ofMillis(10));
        String other = UUID.randomUUID() + ":debit";

        assertThatThrownBy(() -> impatient.prepare(other, connection -> TwoPhaseFixture.move(connection, account, -10)))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("lock timeout");

        committed(key);
        impatient.prepare(other, connection -> TwoPhaseFixture.move(connection, account, -10));
        committed(other);
        assertThat(bank.balance(account)).isEqualTo(80);
        assertThatThrownBy(() -> debit.withPatience(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void orphans_are_ended_only_as_it_was_decided() {
        List<String> keys = List.of("committed", "rolled back", "undecided", "nobody knows");
        for (String each : keys) {
            String own = bank.account(100); // what is prepared is locked
            ReservationFixture.answer(
                    () -> debit.prepare(each, connection -> TwoPhaseFixture.move(connection, own, -10)));
        }
        String other = "b";
        ReservationFixture.answer(
                () -> TwoPhaseParticipant.create("debit2", bank.dataSource).prepare(other, connection -> {}));
        TwoPhaseParticipant.Decider decider = orphan -> switch (orphan.key().orElseThrow()) {
            case "committed" -> Outcome.COMMITTED;
            case "rolled back" -> Outcome.ROLLED_BACK;
            case "undecided" -> Outcome.UNDECIDED;
            default -> throw new IllegalStateException("planned");
        };

        assertThat(debit.sweep(Duration.ofHours(1), decider)).as("too young").isEqualTo(new Swept(0, 0, 0));
        assertThat(debit.sweep(Duration.ZERO, decider)).isEqualTo(new Swept(1, 1, 2));

        assertThat(debit.orphans(Duration.ZERO))
                .extracting(Orphan::key)
                .containsExactly(Optional.of("undecided"), Optional.of("nobody knows"));
        assertThat(TestDatabase.strings(bank.dataSource, "select sum(balance) from account"))
                .containsExactly("490");
        assertThat(prepared("rolled back")).isEqualTo("SAGA-GRD-001");
        assertThat(committed("committed")).isEqualTo("DUPLICATE");
        assertThat(bank.prepared()).as("another participant's").contains("saga:debit2:b");
    }

    @Test
    void what_is_prepared_in_another_database_is_left_alone() throws Exception {
        try (TwoPhaseFixture other = TwoPhaseFixture.open()) {
            TwoPhaseParticipant.create("debit", other.dataSource).prepare(key, connection -> {});

            assertThat(debit.orphans(Duration.ZERO)).isEmpty();
            assertThat(debit.sweep(Duration.ZERO, orphan -> Outcome.ROLLED_BACK))
                    .isEqualTo(new Swept(0, 0, 0));
            assertThat(other.prepared()).hasSize(1);
        }
    }

    @Test
    void an_orphan_with_a_long_key_is_ended_by_its_name() {
        String longKey = "😀".repeat(100);
        prepared(longKey);

        Swept swept =
                debit.sweep(Duration.ZERO, orphan -> orphan.key().isEmpty() ? Outcome.ROLLED_BACK : Outcome.UNDECIDED);

        assertThat(swept).isEqualTo(new Swept(0, 1, 0));
        assertThat(bank.prepared()).isEmpty();
        assertThat(rolledBack(longKey)).isEqualTo("EMPTY");
    }

    @Test
    void an_orphan_with_a_long_key_that_was_decided_is_committed_by_its_name() {
        String longKey = "😀".repeat(100);
        long before = bank.balance(account);
        prepared(longKey);

        assertThat(debit.sweep(Duration.ZERO, orphan -> Outcome.COMMITTED)).isEqualTo(new Swept(1, 0, 0));

        assertThat(bank.prepared()).isEmpty();
        assertThat(bank.balance(account)).isEqualTo(before - 10);
        assertThat(committed(longKey)).isEqualTo("DUPLICATE");
    }

    @Test
    void whatever_comes_at_once_the_money_moves_once_or_not_at_all() throws Exception {
        long expected = bank.balance(account);
        try (AtOnce together = new AtOnce()) {
            for (int round = 0; round < 10; round++) {
                String each = UUID.randomUUID() + ":debit";
                List<Callable<String>> calls = new ArrayList<>();
                for (int twice = 0; twice < 2; twice++) {
                    calls.add(() -> unlessBusy(() -> prepared(each)));
                    calls.add(() -> unlessBusy(() -> rolledBack(each)));
                    calls.add(() -> unlessBusy(() -> committed(each)));
                }
                List<String> answers = together.run(calls);

                String last = committed(each);
                boolean moved = last.equals("DONE") || last.equals("DUPLICATE");
                assertThat(rolledBack(each)).as("" + answers).isEqualTo(moved ? "SAGA-GRD-012" : "DUPLICATE");
                expected -= moved ? 10 : 0;
                assertThat(bank.balance(account)).as("" + answers).isEqualTo(expected);
                assertThat(bank.prepared()).isEmpty();
            }
        }
    }

    private static String unlessBusy(Callable<String> call) throws Exception {
        try {
            return call.call();
        } catch (AssertionError e) {
            if (e.getCause() instanceof OperationBusyException) {
                return "BUSY";
            }
            throw e;
        }
    }

    @Test
    void a_server_that_prepares_nothing_is_told_at_the_start_and_at_the_first_use() throws Exception {
        debit.requirePreparedTransactions();
        try (PostgresServer server = PostgresServer.start(Map.of("max_prepared_transactions", "0"))) {
            withOthers(server, other -> {
                assertThatThrownBy(other::requirePreparedTransactions)
                        .isInstanceOf(SagaConfigurationException.class)
                        .hasMessageStartingWith("SAGA-CFG-022");
                assertThatThrownBy(() -> other.prepare(key, connection -> {}))
                        .isInstanceOf(SagaConfigurationException.class)
                        .hasMessageStartingWith("SAGA-CFG-022");
                assertThat(other.rollback(key).name()).isEqualTo("EMPTY");
            });
        }
        try (PostgresServer server = PostgresServer.start(Map.of("max_prepared_transactions", "1"))) {
            withOthers(server, other -> {
                other.prepare("1", connection -> {});
                assertThatThrownBy(() -> other.prepare("2", connection -> {})).hasMessageStartingWith("SAGA-TPC-001");
                other.commit("1");
                other.prepare("2", connection -> {});
                other.rollback("2");
            });
        }
    }

    private interface With {
        void run(TwoPhaseParticipant participant) throws Exception;
    }

    private static void withOthers(PostgresServer server, With with) throws Exception {
        TestPostgres.Db db = server.fresh();
        try (HikariDataSource pool = new TestDatabase(db.url(), db.user(), db.password()).pool()) {
            TestDatabase.script(pool, SagaSchema.participantDdl("postgresql"));
            with.run(TwoPhaseParticipant.create("debit", pool));
        }
    }
}
