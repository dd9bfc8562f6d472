package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** User code that ends the transaction of its step: refused where it can be, else found out; the record never stands alone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StepTransactionIT {
    private static final SagaType<String> TYPE = SagaType.named("vandal", String.class);

    private interface Deed {
        void to(Connection connection) throws Exception;
    }

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

    private record Setup(String name, HikariDataSource pool, BareTransactions transactions, Sagas sagas) {
        static Setup of(String name, TestDatabase database) {
            HikariDataSource pool = database.pool();
            SagaSchema.migrate(pool);
            TestDatabase.execute(pool, "create table effect (id int)");
            BareTransactions transactions = new BareTransactions(pool);
            return new Setup(name, pool, transactions, new Sagas(JdbcSagaStore.create(pool, transactions)));
        }

        int effects() {
            return TestDatabase.strings(pool, "select id from effect").size();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private final List<Setup> setups =
            List.of(Setup.of("PostgreSQL", TestDatabase.postgres()), Setup.of("H2", TestDatabase.h2()));

    @AfterAll
    void close() {
        setups.forEach(setup -> setup.pool.close());
    }

    Stream<Arguments> deeds() {
        return setups.stream()
                .flatMap(setup -> Stream.of(
                        deed(setup, "commit", Connection::commit),
                        deed(setup, "rollback", Connection::rollback),
                        deed(setup, "close", Connection::close),
                        deed(setup, "autocommit on", c -> c.setAutoCommit(true)),
                        deed(setup, "autocommit on and off", c -> {
                            c.setAutoCommit(true);
                            c.setAutoCommit(false);
                        }),
                        deed(setup, "commit in SQL", c -> TestDatabase.execute(c, "commit")),
                        deed(setup, "rollback in SQL", c -> TestDatabase.execute(c, "rollback")),
                        deed(setup, "commit, then more", c -> {
                            c.commit();
                            TestDatabase.execute(c, "update effect set id = 2 where id = 7");
                        }),
                        deed(setup, "commit, then failure", c -> {
                            c.commit();
                            throw new IllegalStateException("and out");
                        }),
                        deed(setup, "commit, then rejection", c -> {
                            c.commit();
                            throw new StepRejectedException("NO", "no");
                        })));
    }

    private static Arguments deed(Setup setup, String name, Deed deed) {
        return Arguments.of(setup, name, deed);
    }

    @ParameterizedTest(name = "{0}: {1}") // D23
    @MethodSource("deeds")
    void what_ends_the_transaction_of_a_step_is_found_out_and_nothing_is_recorded(Setup setup, String name, Deed deed) {
        UUID id = setup.sagas.owned(1).get(0);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        setup.sagas.store.inTransaction(
                () -> {
                    Connection connection = setup.transactions.connection();
                    TestDatabase.execute(connection, "insert into effect values (1)");
                    deed.to(connection);
                    return Sagas.write(id, 1, 0, Sagas.line("a", "1"));
                },
                (acceptance, thrown) -> failure.set(thrown));

        assertThat(failure.get()).isInstanceOfSatisfying(SagaStoreException.class, e -> {
            assertThat(e.code()).isEqualTo("SAGA-DB-007");
            assertThat(e.effect()).isEqualTo(Effect.UNKNOWN);
        });
        assertThat(setup.sagas.store.find(id).orElseThrow().seq()).isZero();
        assertThat(setup.sagas.store.history(id)).isEmpty();
        assertThat(pooledConnectionsWork(setup)).isTrue();
    }

    private static boolean pooledConnectionsWork(Setup setup) {
        return setup.sagas
                        .submit(List.of(Sagas.write(setup.sagas.owned(1).get(0), 1, 0)))
                        .size()
                == 1;
    }

    @ParameterizedTest
    @FieldSource("setups")
    void a_step_that_leaves_its_transaction_alone_is_recorded_with_it(Setup setup) {
        UUID id = setup.sagas.owned(1).get(0);
        int before = setup.effects();

        setup.sagas.store.inTransaction(
                () -> {
                    Connection connection = setup.transactions.connection();
                    TestDatabase.execute(connection, "insert into effect values (1)");
                    connection.rollback(connection.setSavepoint());
                    return Sagas.write(id, 1, 0, Sagas.line("a", "1"));
                },
                (acceptance, thrown) -> assertThat(thrown).isNull());

        assertThat(setup.sagas.store.find(id).orElseThrow().seq()).isEqualTo(1);
        assertThat(setup.effects()).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @FieldSource("setups")
    void a_failure_is_told_as_it_is_when_the_transaction_was_left_alone(Setup setup) {
        UUID id = setup.sagas.owned(1).get(0);
        IllegalStateException ours = new IllegalStateException("away");

        setup.sagas.store.inTransaction(
                () -> {
                    TestDatabase.execute(setup.transactions.connection(), "insert into effect values (1)");
                    throw ours;
                },
                (acceptance, thrown) -> assertThat(thrown).isSameAs(ours));
        setup.sagas.store.inTransaction(
                () -> {
                    TestDatabase.execute(setup.transactions.connection(), "select nonsense");
                    return Sagas.write(id, 1, 0);
                },
                (acceptance, thrown) -> assertThat(thrown).isInstanceOf(SQLException.class));
    }

    Stream<Arguments> refused() {
        return setups.stream()
                .flatMap(setup -> Stream.of(
                        deed(setup, "commit", Connection::commit),
                        deed(setup, "rollback", Connection::rollback),
                        deed(setup, "close", Connection::close),
                        deed(setup, "autocommit on", c -> c.setAutoCommit(true)),
                        deed(setup, "autocommit off", c -> c.setAutoCommit(false)),
                        deed(setup, "abort", c -> c.abort(Runnable::run))));
    }

    @ParameterizedTest(name = "{0}: {1}") // D23
    @MethodSource("refused")
    void our_own_transactions_refuse_it_and_stay_whole(Setup setup, String name, Deed deed) throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(setup.pool);
        int before = setup.effects();

        transactions.run(() -> {
            Connection connection = transactions.connection();
            TestDatabase.execute(connection, "insert into effect values (1)");
            assertThatThrownBy(() -> deed.to(connection))
                    .isInstanceOf(SQLException.class)
                    .hasMessageStartingWith("SAGA-DB-007: ");
            assertThat(connection).isEqualTo(connection).hasSameHashCodeAs(connection);
            return TestDatabase.execute(connection, "insert into effect values (1)");
        });

        assertThat(setup.effects()).isEqualTo(before + 2);
    }

    private SagaInstance run(Setup setup, SagaDefinition<String> definition) {
        SagaEngine engine = SagaEngine.builder()
                .store(setup.sagas.store)
                .transactions(setup.transactions)
                .tuning(Tuning.defaults().withLease(Duration.ofSeconds(10), Duration.ofMillis(20)))
                .build();
        engine.register(definition);
        engine.start();
        try {
            UUID id = engine.client().start(definition, "x").sagaId();
            return engine.client().await(id, Duration.ofSeconds(30));
        } finally {
            engine.close();
        }
    }

    @ParameterizedTest // D23
    @FieldSource("setups")
    void a_step_that_committed_by_itself_is_unknown_and_compensated(Setup setup) {
        AtomicInteger undone = new AtomicInteger();
        SagaInstance saga = run(
                setup,
                Saga.define(TYPE)
                        .step("one")
                        .transactional()
                        .action(c -> setup.transactions.connection().commit())
                        .compensate(c -> undone.incrementAndGet())
                        .retry(Retry.fixed(Duration.ofMillis(1)).maxAttempts(2))
                        .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(undone).hasValue(1);
        assertThat(setup.sagas.store.history(saga.sagaId()).stream()
                        .map(HistoryRow::entry)
                        .toList())
                .first()
                .satisfies(line -> {
                    assertThat(line.outcome()).isEqualTo(Outcome.ESCAPED);
                    assertThat(line.errorCode()).isEqualTo("SAGA-DB-007");
                    assertThat(line.errorText()).contains("allowed is to use the connection and to leave it open");
                });
    }

    @ParameterizedTest // D23
    @FieldSource("setups")
    void a_pivot_that_committed_by_itself_parks(Setup setup) {
        SagaInstance saga = run(
                setup,
                Saga.define(TYPE)
                        .version(2)
                        .pivot("one")
                        .transactional()
                        .action(c -> setup.transactions.connection().commit())
                        .retry(Retry.none())
                        .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
    }

    @ParameterizedTest // D23
    @FieldSource("setups")
    void an_interrupt_that_is_left_behind_does_not_reach_the_record(Setup setup) {
        SagaInstance saga = run(
                setup,
                Saga.define(TYPE)
                        .version(3)
                        .step("one")
                        .transactional()
                        .action(c -> Thread.currentThread().interrupt())
                        .noCompensation("a test")
                        .step("two")
                        .action(c -> Thread.currentThread().interrupt())
                        .noCompensation("a test")
                        .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga.steps()).allMatch(step -> step.status() == StepStatus.SUCCEEDED && step.attempts() == 1);
    }
}
