package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Step;
import io.backstep.saga.participant.GuardStore;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.GuardContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The contract on a participant's own database: with the table of the guard, and none of the sagas. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcGuardContract extends GuardContract {
    private final ParticipantDatabase database;
    private HikariDataSource dataSource;
    private JdbcTransactions transactions;
    private JdbcGuardStore store;

    JdbcGuardContract(ParticipantDatabase database) {
        this.database = database;
    }

    void configure(HikariConfig config) {}

    @BeforeAll
    void open() {
        dataSource = database.open(config -> {
            config.setMaximumPoolSize(48);
            config.setLeakDetectionThreshold(30_000);
            configure(config);
        });
        TestDatabase.execute(dataSource, "create table effect (operation_id varchar(250), what varchar(40))");
        TestDatabase.execute(dataSource, "create index effect_of on effect (operation_id)");
        transactions = new JdbcTransactions(dataSource);
        store = JdbcGuardStore.create(dataSource, transactions);
    }

    @AfterAll
    void close() {
        if (dataSource != null) { // else there is no such server: the cases are skipped
            dataSource.close();
        }
    }

    @Override
    protected GuardStore store() {
        return store;
    }

    @Override
    protected Transactions transactions() {
        return transactions;
    }

    @Override
    protected void write(String operationId, String what) {
        try {
            TestDatabase.execute(transactions.connection(), "insert into effect values (?, ?)", operationId, what);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected List<String> written(String operationId) {
        return TestDatabase.strings(dataSource, "select what from effect where operation_id = ?", operationId);
    }

    @Override
    protected void age(String operationId, Duration by) {
        long micros = Rows.micros(by);
        int rows = TestDatabase.execute(
                dataSource,
                "update saga_guard set " + database.earlier("changed_at") + ", " + database.earlier("busy_until")
                        + " where operation_id = ?",
                micros,
                micros,
                operationId);
        assertThat(rows).isEqualTo(1);
    }

    @Test // F131
    void no_answer_keeps_a_connection_or_a_transaction() throws Exception {
        VoidParticipantGuard guard = new ParticipantGuards(store, transactions).guard("ship");
        String id = UUID.randomUUID() + ":ship";
        guard.compensation(id, () -> {});
        guard.compensation(id, () -> {});
        assertThatThrownBy(() -> guard.action(id, () -> {})).isInstanceOf(OperationRefusedException.class);
        guard.action(id + 2, () -> {});
        guard.action(id + 2, () -> {});

        assertThat(dataSource.getHikariPoolMXBean().getActiveConnections()).isZero();
        assertThat(transactions.isActive()).isFalse();
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    /** What each costs in statements of JDBC; of the two of a transaction that begins and ends none is counted. */
    @Test
    void a_guard_costs_one_statement_without_a_result_and_two_with_one() throws Exception {
        CountedStatements counted = new CountedStatements(dataSource);
        JdbcTransactions own = new JdbcTransactions(counted.dataSource());
        ParticipantGuards guards = new ParticipantGuards(JdbcGuardStore.create(dataSource, own), own);
        String id = UUID.randomUUID() + ":x";

        assertThat(counted.during(() -> guards.guard("ship").action(id, () -> {})))
                .isEqualTo(1);
        assertThat(counted.during(() -> guards.guard("ship").compensation(id, () -> {})))
                .isLessThanOrEqualTo(mostForARowThatIsThere());
        assertThat(counted.during(
                        () -> guards.guard(Step.named("name", String.class)).action(id + 2, () -> "result")))
                .isEqualTo(2);
    }

    /** Where one statement inserts or changes a row. */
    int mostForARowThatIsThere() {
        return 1;
    }
}
