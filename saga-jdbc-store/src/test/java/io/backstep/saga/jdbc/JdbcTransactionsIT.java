package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.SagaStoreException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JdbcTransactionsIT {
    private static final String ROW = "insert into orders values (1)";

    /** Both databases, with either way that a pool may be set up. */
    static Stream<Setup> setups() {
        return TestDatabase.both().stream()
                .flatMap(database -> Stream.of(new Setup(database, true), new Setup(database, false)));
    }

    record Setup(TestDatabase database, boolean autoCommit) {
        HikariDataSource pool() {
            return JdbcTransactionsIT.pool(database, config -> config.setAutoCommit(autoCommit));
        }
    }

    private static HikariDataSource pool(TestDatabase database, Consumer<HikariConfig> settings) {
        HikariDataSource pool = database.pool(settings);
        TestDatabase.execute(pool, "drop table if exists orders");
        TestDatabase.execute(pool, "create table orders (id int)");
        return pool;
    }

    @ParameterizedTest // F058
    @MethodSource("setups")
    void work_is_committed_as_a_whole_or_rolled_back_as_a_whole(Setup setup) throws Exception {
        try (HikariDataSource pool = setup.pool()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);

            int written = transactions.run(() -> TestDatabase.execute(transactions.connection(), ROW));
            assertThatThrownBy(() -> transactions.run(() -> {
                        TestDatabase.execute(transactions.connection(), ROW);
                        throw new IOException("no");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no");

            assertThat(written).isEqualTo(1);
            assertThat(rows(pool)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void work_may_return_nothing(Setup setup) throws Exception {
        try (HikariDataSource pool = setup.pool()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);

            transactions.run(() -> {
                TestDatabase.execute(transactions.connection(), ROW);
            });
            try (Connection mine = pool.getConnection()) {
                mine.setAutoCommit(false);
                transactions.join(mine, () -> {
                    TestDatabase.execute(transactions.connection(), ROW);
                });
                mine.rollback();
            }

            assertThat(rows(pool)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void a_connection_is_given_back_as_it_was(Setup setup) throws Exception {
        List<String> before = new ArrayList<>();
        List<String> after = new ArrayList<>();
        try (HikariDataSource pool = setup.pool()) {
            DataSource watched = Watched.wrap(
                    pool, borrowed -> before.add(settings(borrowed)), returned -> after.add(settings(returned)));
            JdbcTransactions transactions = new JdbcTransactions(watched);
            SagaSchema.migrate(pool);
            Sagas sagas = new Sagas(JdbcSagaStore.create(watched, transactions));

            transactions.run(() -> TestDatabase.execute(transactions.connection(), ROW));
            assertThatThrownBy(() -> transactions.run(() -> {
                        throw new IOException("no");
                    }))
                    .isInstanceOf(IOException.class);
            sagas.submit(List.of(Sagas.write(sagas.owned(1).get(0), 1, 0)));
            sagas.claim(1);

            assertThat(after).hasSizeGreaterThan(5).isEqualTo(before);
            assertThat(after).allMatch(settings -> settings.startsWith(setup.autoCommit() + " "));
        }
    }

    private static String settings(Connection connection) throws SQLException {
        return connection.getAutoCommit() + " " + connection.getTransactionIsolation() + " " + connection.isReadOnly();
    }

    @ParameterizedTest
    @MethodSource("setups")
    void run_inside_run_joins_it_and_a_new_transaction_suspends_it(Setup setup) throws Exception {
        try (HikariDataSource pool = setup.pool()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);

            assertThatThrownBy(() -> transactions.run(() -> {
                        Connection outer = transactions.connection();
                        transactions.run(() -> {
                            assertThat(transactions.connection()).isSameAs(outer);
                            return TestDatabase.execute(transactions.connection(), ROW);
                        });
                        transactions.inTransaction(() -> {
                            assertThat(transactions.connection()).isNotSameAs(outer);
                            return TestDatabase.execute(transactions.connection(), "insert into orders values (2)");
                        });
                        assertThat(transactions.connection()).isSameAs(outer);
                        throw new IOException("no");
                    }))
                    .isInstanceOf(IOException.class);

            assertThat(TestDatabase.strings(pool, "select id from orders")).containsExactly("2");
            assertThat(transactions.isActive()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void a_joined_connection_stays_the_callers(Setup setup) throws Exception {
        List<String> hooks = new ArrayList<>();
        try (HikariDataSource pool = setup.pool();
                Connection callers = pool.getConnection()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);
            callers.setAutoCommit(false);

            transactions.join(callers, () -> {
                assertThat(transactions.isActive()).isTrue();
                assertThat(transactions.connection()).isSameAs(callers);
                transactions.afterCommit(() -> hooks.add("joined"));
                return TestDatabase.execute(transactions.connection(), ROW);
            });

            assertThat(callers.isClosed()).isFalse();
            assertThat(transactions.isActive()).isFalse();
            assertThat(rows(pool)).as("not committed").isZero();
            callers.commit();
            assertThat(rows(pool)).isEqualTo(1);
            assertThat(hooks).isEmpty();
        }
    }

    @Test
    void a_connection_outside_a_transaction_cannot_be_joined() throws Exception {
        try (HikariDataSource pool = TestDatabase.h2().pool();
                Connection connection = pool.getConnection()) {
            assertThatThrownBy(() -> new JdbcTransactions(pool).join(connection, () -> 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("autocommit");
        }
    }

    @Test
    void hooks_run_after_the_commit_without_the_connection_and_never_after_a_rollback() throws Exception {
        List<String> ran = new ArrayList<>();
        try (HikariDataSource pool = pool(TestDatabase.h2(), config -> config.setMaximumPoolSize(1))) {
            JdbcTransactions transactions = new JdbcTransactions(pool);

            transactions.run(() -> {
                transactions.afterCommit(() -> {
                    throw new IllegalStateException("of no consequence");
                });
                transactions.afterCommit(() -> ran.add(rows(pool) + " committed, active " + transactions.isActive()));
                return TestDatabase.execute(transactions.connection(), ROW);
            });
            assertThatThrownBy(() -> transactions.run(() -> {
                        transactions.afterCommit(() -> ran.add("after a rollback"));
                        throw new IOException("no");
                    }))
                    .isInstanceOf(IOException.class);

            assertThat(ran).containsExactly("1 committed, active false");
        }
    }

    @Test
    void outside_a_transaction_there_is_neither_connection_nor_hook() {
        try (HikariDataSource pool = TestDatabase.h2().pool()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);

            assertThat(transactions.isActive()).isFalse();
            assertThat(transactions.isReadOnly()).isFalse();
            assertThatThrownBy(transactions::connection).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> transactions.afterCommit(() -> {})).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void a_read_only_transaction_is_known_as_one() throws Exception {
        try (HikariDataSource pool = TestDatabase.postgres().pool(config -> config.setReadOnly(true))) {
            JdbcTransactions transactions = new JdbcTransactions(pool);

            assertThat((boolean) transactions.run(transactions::isReadOnly)).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void of_a_commit_that_fails_nobody_knows_unless_the_database_says_so(Setup setup) {
        FailingCommits commits = new FailingCommits();
        try (HikariDataSource pool = setup.pool()) {
            JdbcTransactions transactions = new JdbcTransactions(commits.wrap(pool));

            commits.mode = FailingCommits.Mode.APPLIED;
            assertEffect(transactions, SagaStoreException.Effect.UNKNOWN);
            assertThat(rows(pool)).isEqualTo(1);
            commits.mode = FailingCommits.Mode.NOT_APPLIED;
            assertEffect(transactions, SagaStoreException.Effect.UNKNOWN);
            commits.mode = FailingCommits.Mode.REFUSED;
            assertEffect(transactions, SagaStoreException.Effect.NONE);

            assertThat(rows(pool)).isEqualTo(1);
            assertThat(transactions.isActive()).isFalse();
        }
    }

    @Test
    void a_deferred_constraint_that_fails_on_commit_has_no_effect() {
        try (HikariDataSource pool = pool(TestDatabase.postgres(), config -> {})) {
            TestDatabase.execute(pool, "alter table orders add unique (id) deferrable initially deferred");
            TestDatabase.execute(pool, ROW);

            assertEffect(new JdbcTransactions(pool), SagaStoreException.Effect.NONE);
        }
    }

    @Test
    void a_transaction_that_cannot_begin_has_no_effect() {
        HikariDataSource closed = TestDatabase.h2().pool();
        closed.close();

        assertThatThrownBy(() -> new JdbcTransactions(closed).run(() -> 1))
                .isInstanceOfSatisfying(
                        SagaStoreException.class,
                        e -> assertThat(e.effect()).isEqualTo(SagaStoreException.Effect.NONE));
    }

    private static void assertEffect(JdbcTransactions transactions, SagaStoreException.Effect effect) {
        assertThatThrownBy(() -> transactions.run(() -> TestDatabase.execute(transactions.connection(), ROW)))
                .isInstanceOfSatisfying(
                        SagaStoreException.class, e -> assertThat(e.effect()).isEqualTo(effect));
    }

    private static int rows(DataSource dataSource) {
        return TestDatabase.strings(dataSource, "select id from orders").size();
    }
}
