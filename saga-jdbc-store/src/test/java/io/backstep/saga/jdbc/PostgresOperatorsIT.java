package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators' calls do on PostgreSQL beyond what every store does. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresOperatorsIT {
    private static final String OF_THE_AUDIT = "update saga_audit set reason = 'none';"
            + "delete from saga_audit where 1 = 0;truncate saga_audit;truncate saga_audit, saga_signal cascade";

    private HikariDataSource dataSource;
    private JdbcTransactions transactions;
    private Sagas sagas;

    @BeforeAll
    void open() {
        dataSource = TestDatabase.postgres().pool();
        SagaSchema.migrate(dataSource);
        transactions = new JdbcTransactions(dataSource);
        sagas = new Sagas(JdbcSagaStore.create(dataSource, transactions));
    }

    @AfterAll
    void close() {
        dataSource.close();
    }

    private UUID owned() {
        return sagas.owned(1).get(0);
    }

    private static OperatorWrite forced(UUID id, long epoch, long seq) {
        Mutation mutation = new Mutation(
                new Fence(id, epoch, seq),
                SagaStatus.COMPENSATING,
                SagaReason.OPERATOR,
                null,
                Hold.release(Duration.ZERO),
                List.of(),
                List.of());
        return new OperatorWrite(mutation, true, false);
    }

    private static AuditEntry entry(UUID id, String requestKey) {
        return new AuditEntry(id, "retry", "ada", "mended", false, "FAILED", "RUNNING", false, requestKey, "node");
    }

    private static Mail mail(UUID id, String messageId) {
        return new Mail(id, messageId, Mail.Kind.CANCEL, "why");
    }

    // --- the audit

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void the_audit_only_grows(int which) throws Exception {
        UUID id = UUID.randomUUID();
        transactions.inTransaction(() -> sagas.store.audit(entry(id, "key")));

        assertThatThrownBy(() -> TestDatabase.execute(dataSource, OF_THE_AUDIT.split(";")[which]))
                .hasMessageContaining("saga_audit is refused: the audit only grows");

        assertThat(sagas.store.audit(new AuditQuery(id, null, null, 10))).hasSize(1);
    }

    @Test
    void an_audit_elsewhere_only_grows_as_well() {
        SagaSchema.migrate(dataSource, SagaSchema.Options.of("my_", "Elsewhere"));

        assertThatThrownBy(() -> TestDatabase.execute(dataSource, "delete from \"Elsewhere\".my_audit"))
                .hasMessageContaining("the audit only grows");
    }

    // --- in the application's transaction

    private String lockTimeout() throws SQLException {
        try (var query = transactions.connection().prepareStatement("select current_setting('lock_timeout')");
                var rows = query.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    private void limitLocks() throws SQLException {
        try (var statement = transactions.connection().createStatement()) {
            statement.execute("set local lock_timeout = '70ms'");
        }
    }

    @Test
    void the_applications_lock_limit_is_in_force_again_after_an_operators_write() throws Exception {
        UUID id = owned();

        String limit = transactions.inTransaction(() -> {
            limitLocks();
            assertThat(sagas.store.operate(forced(id, 1, 0))).isEqualTo(Operated.DONE);
            return lockTimeout();
        });

        assertThat(limit).isEqualTo("70ms");
    }

    @Test
    void the_applications_lock_limit_is_in_force_again_after_a_row_was_locked() throws Exception {
        UUID id = owned();
        try (Connection other = dataSource.getConnection()) {
            other.setAutoCommit(false);
            TestDatabase.execute(other, "update saga_instance set seq = seq where saga_id = ?", id);

            String limit = transactions.inTransaction(() -> {
                limitLocks();
                assertThatThrownBy(() -> sagas.store.operate(forced(id, 1, 0)))
                        .isInstanceOf(SagaStoreException.class)
                        .hasMessageStartingWith("SAGA-DB-012")
                        .hasMessageContaining(id.toString());
                return lockTimeout();
            });

            assertThat(limit).isEqualTo("70ms");
            other.rollback();
        }
    }

    @Test
    void in_a_snapshot_of_before_a_message_and_a_request_are_known_all_the_same() throws Exception {
        UUID id = owned();
        try (Connection snapshot = dataSource.getConnection()) {
            snapshot.setAutoCommit(false);
            snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            transactions.join(snapshot, () -> {
                assertThat(sagas.store.inspect(id)).isPresent();
                transactions.inTransaction(() -> sagas.store.post(mail(id, "m1")));
                transactions.inTransaction(() -> sagas.store.audit(entry(id, "key")));

                assertThat(sagas.store.post(mail(id, "m1"))).isFalse();
                assertThat(sagas.store.audit(entry(id, "key"))).isFalse();
                return assertThat(sagas.store.post(mail(id, "m2"))).isTrue();
            });
            snapshot.commit();
            snapshot.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        assertThat(sagas.store.inspect(id).orElseThrow().mail()).hasSize(2);
    }

    // --- words of other versions

    @Test // F100
    void an_unknown_status_is_shown_as_unreadable_and_told_as_it_is() {
        UUID id = owned();
        TestDatabase.execute(
                dataSource, "update saga_instance set status = 'FROM_A_NEWER', due_at = null where saga_id = ?", id);
        ListQuery all = new ListQuery(null, "order", null, null, null, null, null, 1000);

        assertThat(sagas.store.list(all))
                .filteredOn(saga -> saga.sagaId().equals(id))
                .singleElement()
                .satisfies(saga -> {
                    assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
                    assertThat(saga.reason()).isEqualTo(SagaReason.UNREADABLE);
                });
        assertThat(sagas.store.inspect(id).orElseThrow()).satisfies(saga -> {
            assertThat(saga.row().status()).isEqualTo(SagaStatus.FAILED);
            assertThat(saga.unknownStatus()).isEqualTo("FROM_A_NEWER");
            assertThat(saga.unknownReason()).isNull();
        });
    }

    @Test
    void mail_of_an_unknown_kind_stays_new_for_who_knows_it() throws Exception {
        UUID id = owned();
        transactions.inTransaction(() -> sagas.store.post(mail(id, "m1")));
        TestDatabase.execute(dataSource, "update saga_signal set kind = 'NEWER' where saga_id = ?", id);

        List<Mail> swept = Told.ok(
                        (StoreCallback<Sweep> told) -> sagas.store.sweepMail(Sagas.LEASE.owner(), List.of(), told))
                .mail();

        assertThat(swept).noneMatch(mail -> mail.sagaId().equals(id));
        assertThat(sagas.store.inspect(id).orElseThrow().mail()).isEmpty();
        assertThat(TestDatabase.strings(
                        dataSource, "select kind from saga_signal where saga_id = ? and handled_at is null", id))
                .containsExactly("NEWER");
    }

    // --- questions that take too long

    @Test
    void a_list_that_takes_too_long_is_stopped() throws Exception {
        try (Connection other = dataSource.getConnection()) {
            other.setAutoCommit(false);
            TestDatabase.execute(other, "lock table saga_instance in access exclusive mode");

            assertThatThrownBy(() -> sagas.store.list(new ListQuery(null, null, null, null, null, null, null, 10)))
                    .isInstanceOf(SagaStoreException.class)
                    .hasMessageStartingWith("SAGA-DB-013");

            other.rollback();
        }
        assertThat(sagas.store.list(new ListQuery(null, null, null, null, null, null, null, 10)))
                .isNotNull();
    }

    @Test
    void the_limit_of_a_list_does_not_stay_on_the_connection() throws SQLException {
        TestDatabase database = TestDatabase.h2();
        try (HikariDataSource any = database.pool();
                HikariDataSource one = database.pool(config -> config.setMaximumPoolSize(1))) {
            SagaSchema.migrate(any);
            Sagas there = new Sagas(JdbcSagaStore.create(one, new JdbcTransactions(one)));

            there.store.list(new ListQuery(null, null, null, null, null, null, null, 10));
            there.store.audit(new AuditQuery(null, null, null, 10));

            try (Connection connection = one.getConnection();
                    var statement = connection.createStatement()) {
                assertThat(statement.getQueryTimeout()).isZero();
            }
        }
    }
}
