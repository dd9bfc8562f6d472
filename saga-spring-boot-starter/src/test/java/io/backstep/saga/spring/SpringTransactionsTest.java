package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.backstep.saga.jdbc.JdbcGuardStore;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class SpringTransactionsTest {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final DataSource dataSource = database();
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
    private final TransactionTemplate caller = new TransactionTemplate(manager);
    private final SpringTransactions transactions = on(dataSource, manager);
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);

    @BeforeEach
    void table() {
        jdbc.execute("create table item(name varchar(20) primary key)");
    }

    @Test
    void commits_what_the_work_wrote_and_returns_what_it_returned() throws Exception {
        String result = transactions.inTransaction(() -> {
            insertThroughOurConnection("a");
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(items()).containsExactly("a");
    }

    @Test
    void rolls_back_and_throws_what_the_work_threw() {
        IOException broken = new IOException("broken");

        assertThatThrownBy(() -> transactions.inTransaction(() -> {
                    insert("a");
                    throw broken;
                }))
                .isSameAs(broken);
        assertThat(items()).isEmpty();
    }

    @Test
    void has_a_transaction_of_its_own_inside_the_callers() {
        caller.executeWithoutResult(status -> {
            insert("callers");
            run(() -> insert("own"));
            status.setRollbackOnly();
        });

        assertThat(items()).containsExactly("own");
    }

    @Test
    void hands_out_the_connection_of_the_callers_transaction() {
        caller.executeWithoutResult(status -> {
            insertThroughOurConnection("a");
            status.setRollbackOnly();
        });

        assertThat(items()).isEmpty();
    }

    @Test
    void knows_whether_there_is_a_transaction_and_whether_it_may_write() {
        TransactionTemplate reader = new TransactionTemplate(manager);
        reader.setReadOnly(true);

        assertThat(transactions.isActive()).isFalse();
        assertThat(transactions.isReadOnly()).isFalse();
        assertThat(caller.<Boolean>execute(status -> transactions.isActive())).isTrue();
        assertThat(caller.<Boolean>execute(status -> transactions.isReadOnly())).isFalse();
        assertThat(reader.<Boolean>execute(status -> transactions.isReadOnly())).isTrue();
    }

    @Test
    void runs_a_hook_after_the_commit_only() {
        List<String> seen = new ArrayList<>();

        caller.executeWithoutResult(status -> {
            insert("a");
            transactions.afterCommit(() -> seen.add("rolled back"));
            status.setRollbackOnly();
        });
        caller.executeWithoutResult(status -> {
            insert("b");
            transactions.afterCommit(() -> seen.addAll(items()));
        });

        assertThat(seen).containsExactly("b");
    }

    // F080
    @Test
    void a_hook_that_fails_disturbs_neither_the_caller_nor_other_hooks() {
        List<String> seen = new ArrayList<>();

        caller.executeWithoutResult(status -> {
            transactions.afterCommit(() -> {
                throw new AssertionError("not the caller's");
            });
            transactions.afterCommit(() -> seen.add("second"));
        });

        assertThat(seen).containsExactly("second");
    }

    @Test
    void a_hook_runs_although_something_of_the_caller_fails_after_the_commit() {
        List<String> seen = new ArrayList<>();

        assertThatIllegalStateException()
                .isThrownBy(() -> caller.executeWithoutResult(status -> {
                    TransactionSynchronizationManager.registerSynchronization(failingAfterCommit());
                    transactions.afterCommit(() -> seen.add("run"));
                }));

        assertThat(seen).containsExactly("run");
    }

    @Test
    void takes_no_hook_outside_a_transaction() {
        assertThatIllegalStateException().isThrownBy(() -> transactions.afterCommit(() -> {}));
    }

    @Test
    void a_begin_that_fails_has_no_effect() {
        DataSource none = new DriverManagerDataSource("jdbc:h2:mem:not-there;IFEXISTS=TRUE");
        SpringTransactions unreachable = on(none, new DataSourceTransactionManager(none));

        SagaStoreException failure = failureOf(unreachable, () -> "never");

        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        assertThat(failure).hasCauseInstanceOf(CannotCreateTransactionException.class);
    }

    @Test
    void a_transaction_that_a_participant_marked_for_rollback_has_no_effect() {
        TransactionTemplate participant = new TransactionTemplate(manager);

        SagaStoreException failure = failureOf(transactions, () -> {
            insert("a");
            participant.executeWithoutResult(status -> status.setRollbackOnly());
            return "refused";
        });

        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        assertThat(items()).isEmpty();
    }

    @Test
    void what_fails_before_the_commit_has_no_effect() {
        SagaStoreException failure = failureOf(transactions, () -> {
            insert("a");
            TransactionSynchronizationManager.registerSynchronization(failingBeforeCommit());
            return "refused";
        });

        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        assertThat(items()).isEmpty();
    }

    @Test
    void what_fails_after_the_commit_does_not_undo_it() throws Exception {
        String result = transactions.inTransaction(() -> {
            insert("a");
            TransactionSynchronizationManager.registerSynchronization(failingAfterCommit());
            return "committed";
        });

        assertThat(result).isEqualTo("committed");
        assertThat(items()).containsExactly("a");
    }

    @ParameterizedTest
    @CsvSource({
        "08006, UNKNOWN", // connection failure
        "57P01, UNKNOWN", // the server shuts down
        "40003, UNKNOWN", // statement completion unknown
        ",      UNKNOWN",
        "23505, NONE", // a deferred constraint
        "40001, NONE", // serialization failure
        "22001, NONE"
    })
    void the_effect_of_a_failed_commit_is_what_the_database_said(String sqlState, Effect effect) {
        SpringTransactions broken = on(dataSource, commitFailsWith(sqlState));

        assertThat(failureOf(broken, () -> "lost").effect()).isEqualTo(effect);
    }

    // F062
    @Test
    void refuses_a_transaction_of_another_database() {
        TransactionTemplate foreign = new TransactionTemplate(new DataSourceTransactionManager(database()));

        foreign.executeWithoutResult(status -> {
            assertThat(transactions.isActive()).isTrue();
            assertThatThrownBy(transactions::connection).hasMessageStartingWith("SAGA-DB-");
            jdbc.queryForList("select name from item"); // binds a connection that commits by itself
            assertThatThrownBy(transactions::connection).hasMessageStartingWith("SAGA-DB-");
        });
    }

    // F127
    @Test
    void a_guard_refuses_a_transaction_of_another_database() throws Exception {
        for (String statement : SagaSchema.participantDdl("h2").split(";")) {
            jdbc.execute(statement);
        }
        VoidParticipantGuard guard =
                new ParticipantGuards(JdbcGuardStore.create(dataSource, transactions), transactions).guard("insert");
        TransactionTemplate foreign = new TransactionTemplate(new DataSourceTransactionManager(database()));

        foreign.executeWithoutResult(status -> {
            assertThatThrownBy(() -> guard.action("1", () -> insert("a"))).hasMessageStartingWith("SAGA-DB-006");
            assertThatThrownBy(() -> guard.compensation("1", () -> insert("b"))).hasMessageStartingWith("SAGA-DB-006");
        });
        guard.action("1", () -> insert("c"));
        assertThat(items()).containsExactly("c");
    }

    // F058, F062
    @Test
    void refuses_a_transaction_of_another_database_also_on_a_pool_with_autocommit_off() {
        DataSource manual = new LazyConnectionDataSourceProxy(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = dataSource.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
        DataSourceTransactionManager own = new DataSourceTransactionManager(manual);
        SpringTransactions careful = on(manual, own);
        careful.learnPool();
        careful.manager();
        TransactionTemplate foreign = new TransactionTemplate(new DataSourceTransactionManager(database()));

        foreign.executeWithoutResult(status -> {
            new JdbcTemplate(manual).queryForList("select name from item"); // binds a connection that nobody commits
            assertThatThrownBy(careful::connection).hasMessageStartingWith("SAGA-DB-006");
        });
        new TransactionTemplate(own)
                .executeWithoutResult(status -> assertThat(careful.connection()).isNotNull());
    }

    // F079
    @Test
    void is_in_no_transaction_while_callbacks_run_after_its_end() {
        transactions.manager();
        List<Boolean> seen = new ArrayList<>();

        caller.executeWithoutResult(status ->
                TransactionSynchronizationManager.registerSynchronization(noting(seen, transactions::isActive)));

        assertThat(seen).containsExactly(true, true, false, false);
        assertThat(transactions.isActive()).isFalse();
    }

    // F079, F082
    @Test
    void with_one_connection_nothing_can_be_done_while_callbacks_run() {
        SpringTransactions single = new SpringTransactions(dataSource, () -> List.of(manager), () -> true);
        single.manager();
        List<Boolean> seen = new ArrayList<>();

        caller.executeWithoutResult(status -> {
            assertThat(single.isActive()).isTrue();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    seen.add(true);
                    assertThatThrownBy(single::isActive).hasMessageStartingWith("SAGA-DB-020");
                    seen.add(false);
                }
            });
        });

        assertThat(seen).containsExactly(true, false);
    }

    @Test // D23
    void what_was_left_open_is_rolled_back_and_the_thread_is_free() {
        transactions.manager();
        List<Integer> ends = new ArrayList<>();
        manager.getTransaction(TransactionDefinition.withDefaults());
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                ends.add(status);
            }
        });
        insert("outer");
        manager.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
        insert("inner");

        transactions.rollBackLeftOpen();

        checkFree();
        assertThat(ends).containsExactly(TransactionSynchronization.STATUS_ROLLED_BACK);
    }

    @Test // D23
    void what_was_left_open_by_a_manager_that_nobody_knows_is_rolled_back_too() {
        new DataSourceTransactionManager(dataSource).getTransaction(TransactionDefinition.withDefaults());
        insert("a");
        assertThat(transactions.isActive()).isTrue();

        transactions.rollBackLeftOpen();

        checkFree();
    }

    private void checkFree() {
        assertThat(transactions.isActive()).isFalse();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(items()).isEmpty();
        run(() -> insert("next"));
        assertThat(items()).containsExactly("next");
    }

    @Test
    void watches_a_manager_once() {
        transactions.manager();
        on(dataSource, manager).manager();
        transactions.manager();

        assertThat(manager.getTransactionExecutionListeners()).hasSize(2);
    }

    @Test
    void hands_out_no_connection_outside_a_transaction() {
        assertThatThrownBy(transactions::connection).isInstanceOf(SagaStoreException.class);
    }

    private static SpringTransactions on(DataSource dataSource, PlatformTransactionManager manager) {
        return new SpringTransactions(dataSource, () -> List.of(manager), () -> false);
    }

    private static DataSource database() {
        return new DriverManagerDataSource("jdbc:h2:mem:tx" + COUNT.incrementAndGet() + ";DB_CLOSE_DELAY=-1");
    }

    private DataSourceTransactionManager commitFailsWith(String sqlState) {
        return new DataSourceTransactionManager(dataSource) {
            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                throw new TransactionSystemException("commit", new SQLException("no", sqlState));
            }
        };
    }

    private static TransactionSynchronization noting(List<Boolean> seen, Supplier<Boolean> what) {
        return new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                seen.add(what.get());
            }

            @Override
            public void beforeCompletion() {
                seen.add(what.get());
            }

            @Override
            public void afterCommit() {
                seen.add(what.get());
            }

            @Override
            public void afterCompletion(int status) {
                seen.add(what.get());
            }
        };
    }

    private static TransactionSynchronization failingBeforeCommit() {
        return new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throw new IllegalStateException("not valid");
            }
        };
    }

    private static TransactionSynchronization failingAfterCommit() {
        return new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                throw new IllegalStateException("too late");
            }
        };
    }

    private static SagaStoreException failureOf(SpringTransactions transactions, Callable<String> work) {
        return catchThrowableOfType(SagaStoreException.class, () -> transactions.inTransaction(work));
    }

    private void run(Runnable work) {
        try {
            transactions.inTransaction(() -> {
                work.run();
                return null;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void insert(String name) {
        jdbc.update("insert into item values (?)", name);
    }

    private void insertThroughOurConnection(String name) {
        Connection connection = transactions.connection();
        try (var statement = connection.createStatement()) {
            statement.executeUpdate("insert into item values ('" + name + "')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> items() {
        return new JdbcTemplate(new DriverManagerDataSource(((DriverManagerDataSource) dataSource).getUrl()))
                .queryForList("select name from item order by name", String.class);
    }
}
