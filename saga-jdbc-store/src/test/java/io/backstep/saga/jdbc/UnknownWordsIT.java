package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows that a newer version wrote, or a hand: what shows them opens, and claims leave them alone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnknownWordsIT {
    record Database(String name, HikariDataSource pool, JdbcTransactions transactions, Sagas sagas) {
        @Override
        public String toString() {
            return name;
        }

        void set(UUID id, String assignments) {
            execute("update saga_instance set " + assignments + " where saga_id = ?", id);
        }

        void execute(String statement, UUID id) {
            TestDatabase.execute(pool, statement, parameter(id));
        }

        /** An id as this database takes it. */
        Object parameter(UUID id) {
            return name.equals("MariaDB") ? Binding.Bytes.bytes(id) : id;
        }

        String time(String text) {
            return name.equals("MariaDB") ? "'" + text + "'" : "timestamp with time zone '" + text + "+00'";
        }

        /** All that says who may work on it, and when. */
        String standing(UUID id) {
            return TestDatabase.strings(
                            pool,
                            "select concat(status, ' ', coalesce(reason, 'null'), ' ', epoch, '.', seq, ' ',"
                                    + " coalesce(owner, 'null'), ' ', coalesce(cast(due_at as varchar(40)), 'null'), ' ', updated_at)"
                                            .replace("varchar", name.equals("MariaDB") ? "char" : "varchar")
                                    + " from saga_instance where saga_id = ?",
                            parameter(id))
                    .get(0);
        }

        InstanceRow row(UUID id) {
            return sagas.store.find(id).orElseThrow();
        }
    }

    private final List<Database> databases = all();

    static List<Database> all() {
        return Stream.concat(
                        Stream.of(open("PostgreSQL", TestDatabase.postgres()), open("H2", TestDatabase.h2())),
                        TestDatabase.mariaDbIfThere().map(database -> open("MariaDB", database)))
                .toList();
    }

    @AfterAll
    void close() {
        databases.forEach(database -> database.pool.close());
    }

    private static Database open(String name, TestDatabase database) {
        HikariDataSource pool = database.pool();
        SagaSchema.migrate(pool);
        JdbcTransactions transactions = new JdbcTransactions(pool);
        return new Database(name, pool, transactions, new Sagas(JdbcSagaStore.create(pool, transactions)));
    }

    Stream<Arguments> rows() {
        return databases.stream()
                .flatMap(database -> Stream.of(
                        row(database, "status = 'FOO', due_at = null", SagaStatus.FAILED, SagaReason.UNREADABLE),
                        row(database, "status = '', due_at = null", SagaStatus.FAILED, SagaReason.UNREADABLE),
                        row(
                                database,
                                "status = 'FOO', reason = 'BAR', due_at = null",
                                SagaStatus.FAILED,
                                SagaReason.UNREADABLE),
                        row(
                                database,
                                "status = 'FAILED', reason = 'BAR', due_at = null",
                                SagaStatus.FAILED,
                                SagaReason.UNREADABLE),
                        row(database, "reason = 'BAR'", SagaStatus.RUNNING, SagaReason.UNREADABLE),
                        row(database, "epoch = -7, seq = 9223372036854775807", SagaStatus.RUNNING, null),
                        row(database, "steps = '{\"steps\":{\"gone\":[\"FOO\",99]}}'", SagaStatus.RUNNING, null)));
    }

    private static Arguments row(Database database, String set, SagaStatus status, SagaReason reason) {
        return Arguments.of(database, set, status, reason);
    }

    @ParameterizedTest(name = "{0}: {1}") // X2
    @MethodSource("rows")
    void a_row_with_odd_words_and_numbers_is_shown(
            Database database, String set, SagaStatus status, SagaReason reason) {
        UUID id = database.sagas.owned(1).get(0);
        database.set(id, set);

        assertThat(database.row(id).status()).isEqualTo(status);
        assertThat(database.row(id).reason()).isEqualTo(reason);
    }

    @ParameterizedTest // X2, F100
    @FieldSource("databases")
    void a_claim_leaves_a_row_with_an_unknown_word_as_it_is_and_takes_the_others(Database database) {
        List<UUID> odd = due(database, 2);
        List<UUID> plain = due(database, 3);
        database.set(odd.get(0), "reason = 'FROM_A_NEWER_VERSION'");
        database.set(odd.get(1), "status = 'SLEEPING', due_at = null");
        List<String> before = odd.stream().map(database::standing).toList();

        assertThat(database.sagas.claim(100).stream().map(one -> one.row().sagaId()))
                .containsExactlyInAnyOrderElementsOf(plain);

        for (UUID id : odd) {
            assertThat(Told.ok((StoreCallback<Optional<Claimed>> told) -> database.sagas.store.claimOne(
                            id, Sagas.LEASE, List.of(database.sagas.definition.definitionId()), told)))
                    .isEmpty();
        }
        assertThat(odd).extracting(database::standing).isEqualTo(before);
        assertThat(before.get(0)).startsWith("RUNNING FROM_A_NEWER_VERSION 0.0 null 2");
        assertThat(before.get(1)).startsWith("SLEEPING null 0.0 null null 2");
        assertThat(database.sagas.store.history(odd.get(0))).isEmpty();
    }

    @ParameterizedTest // F100
    @FieldSource("databases")
    void many_rows_with_an_unknown_word_are_not_in_the_way_of_the_others(Database database) {
        due(database, 3).forEach(id -> database.set(id, "reason = 'FROM_A_NEWER_VERSION'"));
        List<UUID> plain = due(database, 1);

        assertThat(database.sagas.claim(2).stream().map(one -> one.row().sagaId()))
                .containsExactlyElementsOf(plain);
    }

    @ParameterizedTest // F100
    @FieldSource("databases")
    void an_owner_does_not_take_back_a_row_with_an_unknown_word(Database database) {
        UUID id = database.sagas.owned(1).get(0);
        database.set(id, "reason = 'FROM_A_NEWER_VERSION'");
        String before = database.standing(id);

        assertThat(Told.ok((StoreCallback<Optional<Claimed>> told) ->
                        database.sagas.store.recover(new Held(id, 1), Sagas.LEASE, told)))
                .isEmpty();

        assertThat(database.standing(id)).isEqualTo(before);
    }

    @ParameterizedTest // F100
    @FieldSource("databases")
    void mail_does_not_make_a_row_with_an_unknown_reason_due(Database database) {
        UUID odd = due(database, 1).get(0);
        UUID plain = due(database, 1).get(0);
        for (UUID id : List.of(odd, plain)) {
            database.set(id, "due_at = " + database.time("2999-01-01 00:00:00"));
            database.execute(
                    "insert into saga_signal (saga_id, message_id, kind, reason, created_at)"
                            + " values (?, 'm', 'CANCEL', '', current_timestamp)",
                    id);
        }
        database.set(odd, "reason = 'FROM_A_NEWER_VERSION'");
        String before = database.standing(odd);

        Told.ok((StoreCallback<Sweep> told) -> database.sagas.store.sweepMail(Sagas.LEASE.owner(), List.of(), told));

        assertThat(database.standing(odd)).isEqualTo(before);
        assertThat(database.row(plain).dueAt()).isBefore(Instant.parse("2999-01-01T00:00:00Z"));
        for (UUID id : List.of(odd, plain)) { // the tables are everybody's
            database.execute("delete from saga_signal where saga_id = ?", id);
            database.set(id, "due_at = " + database.time("2999-01-01 00:00:00"));
        }
    }

    private static List<UUID> due(Database database, int count) {
        var batch = database.sagas.sagas(count, null);
        database.sagas.insert(batch);
        return batch.stream().map(one -> one.sagaId()).toList();
    }

    @ParameterizedTest // X2
    @FieldSource("databases")
    void a_line_with_an_unknown_word_keeps_the_word_and_hides_no_other(Database database) {
        UUID id = database.sagas.owned(1).get(0);
        HistoryEntry[] lines = {Sagas.line("a", "1"), Sagas.line("b", "2"), Sagas.line("c", "3"), Sagas.line("d", "4")};
        database.sagas.submit(List.of(Sagas.write(id, 1, 0, lines)));
        line(database, id, 0, "outcome = 'EXPLODED', error_text = 'loudly'");
        line(database, id, 1, "phase = 'DREAM'");
        line(database, id, 2, "reason = 'WHY_NOT'");

        List<HistoryEntry> read =
                database.sagas.store.history(id).stream().map(HistoryRow::entry).toList();

        assertThat(read).extracting(HistoryEntry::step).containsExactly("a", "b", "c", "d");
        assertThat(read)
                .extracting(HistoryEntry::outcome)
                .containsExactly(Outcome.UNREADABLE, Outcome.UNREADABLE, Outcome.SUCCEEDED, Outcome.SUCCEEDED);
        assertThat(read.get(0).phase()).isEqualTo(Phase.ACTION);
        assertThat(read.get(0).errorCode()).isEqualTo("SAGA-DB-011");
        assertThat(read.get(0).errorText()).contains("outcome \"EXPLODED\"", "loudly");
        assertThat(read.get(1).errorText()).contains("phase \"DREAM\"");
        assertThat(read.get(2).reason()).isEqualTo(SagaReason.UNREADABLE);
    }

    private static void line(Database database, UUID id, int ordinal, String assignments) {
        TestDatabase.execute(
                database.pool,
                "update saga_step_history set " + assignments + " where saga_id = ? and ordinal = ?",
                database.parameter(id),
                ordinal);
    }

    @ParameterizedTest // X2
    @FieldSource("databases")
    void a_compensation_with_an_unknown_word_is_shown(Database database) {
        UUID id = database.sagas.owned(1).get(0);
        database.sagas.submit(List.of(Sagas.big(id, 2)));
        database.execute("update saga_compensation_log set status = 'HALF' where saga_id = ? and step = 'step-0'", id);

        assertThat(database.sagas.store.compensations(id))
                .extracting(row -> row.entry().status())
                .containsExactlyInAnyOrder(CompensationEntry.Status.FAILED, CompensationEntry.Status.PENDING);
    }

    @ParameterizedTest // X2
    @FieldSource("databases")
    void mail_of_an_unknown_kind_makes_nobody_due_and_stays_for_a_node_that_knows_it(Database database) {
        UUID id = due(database, 1).get(0);
        database.set(id, "due_at = " + database.time("2999-01-01 00:00:00"));
        database.execute(
                "insert into saga_signal (saga_id, message_id, kind, reason, created_at)"
                        + " values (?, 'm', 'FROM_A_NEWER_VERSION', '', current_timestamp)",
                id);

        assertThat(Told.ok((StoreCallback<Sweep> told) ->
                                database.sagas.store.sweepMail(Sagas.LEASE.owner(), List.of(), told))
                        .mail())
                .isEmpty();

        assertThat(database.row(id).dueAt()).isEqualTo(Instant.parse("2999-01-01T00:00:00Z"));
        assertThat(TestDatabase.strings(
                        database.pool,
                        "select message_id from saga_signal where saga_id = ? and handled_at is null",
                        database.parameter(id)))
                .hasSize(1);
    }
}
