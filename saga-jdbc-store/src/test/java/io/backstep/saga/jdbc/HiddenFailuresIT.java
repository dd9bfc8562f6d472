package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Step;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Work that hides what the database has refused: nothing is told to be done that is not there, and no effect is there without its row. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HiddenFailuresIT {
    private static final String VISIT = "update place set visits = visits + 1 where id = ?";

    /** Hands out the connection as it is, as the transactions of frameworks do. */
    private static final class BareTransactions extends JdbcTransactions {
        private BareTransactions(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public Connection connection() {
            return ((GuardedConnection) Proxy.getInvocationHandler(super.connection())).connection();
        }
    }

    private record Setup(ParticipantDatabase database, String isolation, HikariDataSource pool) {
        static Setup of(ParticipantDatabase database, String isolation) {
            HikariDataSource pool = database.open(config -> config.setTransactionIsolation("TRANSACTION_" + isolation));
            TestDatabase.execute(pool, "create table effect (operation_id varchar(250), what varchar(40))");
            TestDatabase.execute(pool, "create table place (id int primary key, visits int)");
            TestDatabase.execute(pool, "insert into place values (1, 0), (2, 0)");
            return new Setup(database, isolation, pool);
        }

        boolean failsAsAWhole() {
            return database == ParticipantDatabase.POSTGRESQL;
        }

        VoidParticipantGuard guard(JdbcTransactions transactions) {
            return new ParticipantGuards(JdbcGuardStore.create(pool, transactions), transactions).guard("ship");
        }

        List<String> written(String id) {
            return TestDatabase.strings(pool, "select what from effect where operation_id = ?", id);
        }

        @Override
        public String toString() {
            return database + " " + isolation;
        }
    }

    private final List<Setup> setups = List.of(
            Setup.of(ParticipantDatabase.POSTGRESQL, "READ_COMMITTED"),
            Setup.of(ParticipantDatabase.POSTGRESQL, "REPEATABLE_READ"),
            Setup.of(ParticipantDatabase.MARIADB, "READ_COMMITTED"),
            Setup.of(ParticipantDatabase.MARIADB, "REPEATABLE_READ"),
            Setup.of(ParticipantDatabase.H2, "READ_COMMITTED"));

    private final String id = UUID.randomUUID() + ":ship";

    @AfterAll
    void close() {
        setups.forEach(setup -> setup.pool().close());
    }

    Stream<Setup> setups() {
        return setups.stream();
    }

    private static void hidden(JdbcTransactions transactions, String statement, Object... values) {
        try {
            TestDatabase.execute(transactions.connection(), statement, values);
        } catch (SQLException e) {
            assertThat(e.getMessage()).isNotEmpty(); // and nobody hears of it
        }
    }

    private static void write(JdbcTransactions transactions, String id, String what) {
        hidden(transactions, "insert into effect values (?, ?)", id, what);
    }

    /** Whoever crosses it is chosen as the victim of a deadlock, and hears of it by an exception alone. */
    private static final class Rival implements AutoCloseable {
        private final Setup setup;
        private final Connection connection;

        /** Who is older survives on H2, and who has written more on MariaDB. */
        Rival(Setup setup) throws SQLException {
            this.setup = setup;
            this.connection = setup.pool().getConnection();
            connection.setAutoCommit(false);
            for (int i = 0; i < 20; i++) {
                TestDatabase.execute(connection, "insert into effect values ('other', 'more')");
            }
            TestDatabase.execute(connection, VISIT, 2);
        }

        void cross(JdbcTransactions transactions) throws Exception {
            TestDatabase.execute(transactions.connection(), VISIT, 1);
            if (setup.database() == ParticipantDatabase.POSTGRESQL) { // who looks first does not
                TestDatabase.execute(transactions.connection(), "set local deadlock_timeout = '1ms'");
            }
            CompletableFuture<Integer> crossing = CompletableFuture.supplyAsync(this::visit);
            await().until(() -> !TestDatabase.strings(
                            setup.pool(), setup.database().whoWaits())
                    .isEmpty());
            hidden(transactions, VISIT, 2);
            assertThat(crossing.get(1, TimeUnit.MINUTES)).isEqualTo(1);
            connection.rollback();
        }

        private int visit() {
            try {
                return TestDatabase.execute(connection, VISIT, 1);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static void assertNothingDone(Throwable told) {
        assertThat(told)
                .isInstanceOfAny(SagaStoreException.class, OperationBusyException.class)
                .satisfies(failure -> {
                    if (failure instanceof SagaStoreException store) {
                        assertThat(store.effect()).isEqualTo(Effect.NONE);
                    }
                    if (failure instanceof OperationBusyException busy) {
                        assertThat(busy.transactionLost()).isTrue();
                    }
                });
    }

    /** As a saga tries again, and undoes at last. */
    private void assertThatItCanBeDoneOnce(Setup setup, JdbcTransactions transactions) throws Exception {
        assertThat(setup.written(id)).isEmpty();
        for (int i = 0; i < 2; i++) {
            setup.guard(transactions).action(id, () -> write(transactions, id, "did"));
        }
        assertThat(setup.written(id)).containsExactly("did");
        assertThat(setup.guard(transactions).compensation(id, () -> {})).isEqualTo(CompensationAnswer.DONE);
        TestDatabase.execute(setup.pool(), "delete from effect");
        TestDatabase.execute(setup.pool(), "delete from saga_guard");
    }

    @ParameterizedTest
    @MethodSource("setups")
    void a_transaction_that_hides_a_failure_is_committed_if_it_still_can_be(Setup setup) {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        Throwable told = catchThrowable(() -> transactions.run(() -> {
            write(transactions, id, "before");
            hidden(transactions, "insert into nowhere values (1)");
            write(transactions, id, "after");
        }));

        if (setup.failsAsAWhole()) {
            assertNothingDone(told);
            assertThat(told).hasMessageStartingWith("SAGA-DB-021").hasMessageContaining("nowhere");
            assertThat(setup.written(id)).isEmpty();
        } else {
            assertThat(told).isNull();
            assertThat(setup.written(id)).containsExactlyInAnyOrder("before", "after");
        }
        TestDatabase.execute(setup.pool(), "delete from effect");
    }

    @ParameterizedTest
    @MethodSource("setups")
    void an_effect_that_hides_a_failure_is_done_or_told(Setup setup) throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        Throwable told = catchThrowable(() -> setup.guard(transactions).action(id, () -> {
            hidden(transactions, "insert into nowhere values (1)");
            write(transactions, id, "did");
        }));

        if (setup.failsAsAWhole()) {
            assertNothingDone(told);
        } else {
            assertThat(told).isNull();
            assertThat(setup.written(id)).containsExactly("did");
            TestDatabase.execute(setup.pool(), "delete from effect");
            TestDatabase.execute(setup.pool(), "delete from saga_guard");
        }
        assertThatItCanBeDoneOnce(setup, transactions);
    }

    @ParameterizedTest
    @MethodSource("setups")
    void what_a_framework_would_commit_is_told_as_well_where_the_driver_knows(Setup setup) throws Exception {
        BareTransactions transactions = new BareTransactions(setup.pool());
        Throwable told = catchThrowable(() -> transactions.run(() ->
                setup.guard(transactions).action(id, () -> hidden(transactions, "insert into nowhere values (1)"))));

        if (setup.failsAsAWhole()) {
            assertNothingDone(told);
        } else {
            assertThat(told).isNull();
            TestDatabase.execute(setup.pool(), "delete from saga_guard");
        }
        assertThatItCanBeDoneOnce(setup, transactions);
    }

    @ParameterizedTest
    @MethodSource("setups")
    void an_effect_that_hides_a_deadlock_leaves_nothing_without_its_row(Setup setup) throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        try (Rival rival = new Rival(setup)) {
            assertNothingDone(catchThrowable(() -> setup.guard(transactions).action(id, () -> {
                rival.cross(transactions);
                write(transactions, id, "did");
            })));
        }
        assertThatItCanBeDoneOnce(setup, transactions);
    }

    @ParameterizedTest
    @MethodSource("setups")
    void nor_does_one_with_a_result(Setup setup) throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        ParticipantGuards guards =
                new ParticipantGuards(JdbcGuardStore.create(setup.pool(), transactions), transactions);
        try (Rival rival = new Rival(setup)) {
            assertNothingDone(catchThrowable(() -> guards.guard(Step.named("ship", String.class))
                    .action(id, () -> {
                        rival.cross(transactions);
                        write(transactions, id, "did");
                        return "a result";
                    })));
        }
        assertThatItCanBeDoneOnce(setup, transactions);
    }

    @ParameterizedTest
    @MethodSource("setups")
    void an_undo_that_hides_a_deadlock_is_not_done(Setup setup) throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        setup.guard(transactions).action(id, () -> {});
        try (Rival rival = new Rival(setup)) {
            assertNothingDone(catchThrowable(() -> setup.guard(transactions).compensation(id, () -> {
                rival.cross(transactions);
                write(transactions, id, "undid");
            })));
        }

        assertThat(setup.written(id)).isEmpty();
        assertThat(setup.guard(transactions).compensation(id, () -> {})).isEqualTo(CompensationAnswer.DONE);
        TestDatabase.execute(setup.pool(), "delete from saga_guard");
    }

    @ParameterizedTest
    @MethodSource("setups")
    void a_caller_who_hides_that_as_well_commits_nothing(Setup setup) throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        Throwable told;
        try (Rival rival = new Rival(setup)) {
            told = catchThrowable(() -> transactions.run(() -> {
                write(transactions, id, "before");
                assertNothingDone(catchThrowable(() -> setup.guard(transactions).action(id, () -> {
                    rival.cross(transactions);
                    write(transactions, id, "did");
                })));
                write(transactions, id, "after");
            }));
        }

        assertNothingDone(told);
        assertThat(told).hasMessageStartingWith("SAGA-DB-021");
        assertThatItCanBeDoneOnce(setup, transactions);
    }

    @ParameterizedTest
    @MethodSource("setups")
    void a_failure_that_was_taken_back_to_a_savepoint_is_none(Setup setup) throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        setup.guard(transactions).action(id, () -> {
            Savepoint before = transactions.connection().setSavepoint();
            hidden(transactions, "insert into nowhere values (1)");
            transactions.connection().rollback(before);
            write(transactions, id, "did");
        });

        assertThat(setup.written(id)).containsExactly("did");
        TestDatabase.execute(setup.pool(), "delete from effect");
        TestDatabase.execute(setup.pool(), "delete from saga_guard");
    }

    @ParameterizedTest
    @MethodSource("setups")
    void the_drivers_own_objects_are_within_reach_and_a_statement_knows_the_guarded_connection(Setup setup)
            throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool());
        transactions.run(() -> {
            Connection connection = transactions.connection();
            Connection drivers = connection.unwrap(Connection.class);
            assertThat(drivers).isNotNull();
            try (var statement = connection.prepareStatement("insert into effect values (?, 'did')")) {
                assertThat(statement).isEqualTo(statement).hasSameHashCodeAs(statement);
                assertThat(statement.getConnection()).isSameAs(connection);
                assertThatThrownBy(() -> statement.getConnection().commit()).hasMessageStartingWith("SAGA-DB-007");
                assertThat(statement.unwrap(PreparedStatement.class)).isNotNull();
            }
        });
    }
}
