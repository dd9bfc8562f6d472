package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.GuardStore;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.GuardContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
        AtomicInteger called = new AtomicInteger();
        guard.compensation(id, called::incrementAndGet);
        guard.compensation(id, called::incrementAndGet);
        assertThatThrownBy(() -> guard.action(id, called::incrementAndGet))
                .isInstanceOf(OperationRefusedException.class);
        assertThat(called).hasValue(0);
        guard.action(id + 2, called::incrementAndGet);
        guard.action(id + 2, called::incrementAndGet);
        assertThat(called).hasValue(1);

        assertThat(dataSource.getHikariPoolMXBean().getActiveConnections()).isZero();
        assertThat(transactions.isActive()).isFalse();
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    @Test // F124
    void a_coordinator_whose_action_comes_beside_its_compensation_never_takes_a_refusal_for_success() throws Exception {
        Step<String> book = Step.named("book", String.class);
        SagaType<String> type = SagaType.named("race", String.class);
        ParticipantGuard<String> guard = new ParticipantGuards(store, transactions).guard(book);
        Map<UUID, CyclicBarrier> barriers = new ConcurrentHashMap<>();
        SagaDefinition<String> definition = Saga.define(type)
                .step(book)
                .action(c -> {
                    if (c.attempt() == 1) {
                        barriers.get(c.sagaId()).await(1, TimeUnit.MINUTES);
                    }
                    return guard.action(c.idempotencyKey(), () -> {
                        write(c.idempotencyKey(), "did");
                        return "booked";
                    });
                })
                .compensate((c, booked) -> {})
                .build();
        InMemorySagaStore sagas = new InMemorySagaStore();
        Map<List<Object>, Integer> seen = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (SagaEngine engine = SagaEngine.builder()
                .store(sagas)
                .transactions(sagas.transactions())
                .build()) {
            engine.register(definition);
            engine.start();
            List<Future<?>> races = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                races.add(threads.submit(() -> {
                    UUID saga = UUID.randomUUID();
                    String id = saga + ":book";
                    barriers.put(saga, new CyclicBarrier(2));
                    engine.client().start(type, "in", StartOptions.none().sagaId(saga));
                    barriers.get(saga).await(1, TimeUnit.MINUTES);
                    CompensationAnswer answer = guard.compensation(id, recorded -> write(id, "undid"));
                    SagaInstance end = engine.client().await(saga, Duration.ofMinutes(1));
                    List<Object> all =
                            List.of(answer, end.steps().get(0).status(), end.status(), Set.copyOf(written(id)));
                    return seen.merge(all, 1, Integer::sum);
                }));
            }
            for (Future<?> race : races) {
                race.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(seen)
                .containsOnlyKeys(
                        List.of(CompensationAnswer.EMPTY, StepStatus.REJECTED, SagaStatus.COMPENSATED, Set.of()),
                        List.of(
                                CompensationAnswer.DONE,
                                StepStatus.SUCCEEDED,
                                SagaStatus.COMPLETED,
                                Set.of("did", "undid")));
    }

    @Test
    void a_row_that_becomes_young_while_a_purge_waits_for_it_stays() throws Exception {
        ParticipantGuards guards = new ParticipantGuards(store, transactions);
        VoidParticipantGuard guard = guards.guard("ship");
        String id = UUID.randomUUID() + ":ship";
        guard.action(id, () -> {});
        age(id, Duration.ofDays(2));

        CompletableFuture<Integer> purge = transactions.run(() -> {
            guard.compensation(id, () -> {});
            CompletableFuture<Integer> purging = CompletableFuture.supplyAsync(() -> purge(guards));
            await().until(() ->
                    !TestDatabase.strings(dataSource, database.whoWaits()).isEmpty());
            return purging;
        });

        purge.get(1, TimeUnit.MINUTES);
        assertThatThrownBy(() -> guard.action(id, () -> {})).isInstanceOf(OperationRefusedException.class);
    }

    private static int purge(ParticipantGuards guards) {
        try {
            return guards.purge(Duration.ofDays(1));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** What each costs in statements of JDBC; of the two of a transaction that begins and ends none is counted. */
    @Test
    void a_guard_costs_one_statement_without_a_result_and_two_with_one() throws Exception {
        CountedStatements counted = new CountedStatements(dataSource);
        JdbcTransactions own = new JdbcTransactions(counted.dataSource());
        ParticipantGuards guards = new ParticipantGuards(JdbcGuardStore.create(dataSource, own), own);
        VoidParticipantGuard ship = guards.guard("ship");
        ParticipantGuard<String> name = guards.guard(Step.named("name", String.class));
        String id = UUID.randomUUID() + ":x";

        assertThat(counted.during(() -> ship.action(id, () -> {}))).isEqualTo(1);
        assertThat(counted.during(() -> name.action(id + 2, () -> "result"))).isEqualTo(2);
        assertThat(counted.during(() -> ship.compensation(id + 3, () -> {}))).isEqualTo(1);
        assertThat(counted.during(() -> own.run(() -> ship.action(id + 4, () -> {}))))
                .isEqualTo(1);
        assertThat(counted.during(() -> own.run(() -> {
                    name.action(id + 5, () -> "result");
                })))
                .isEqualTo(2);

        List<CountedStatements.Work> onceMore = List.of(
                () -> ship.action(id, () -> {}),
                () -> name.action(id + 2, () -> "result"),
                () -> name.confirmation(id + 2, recorded -> {}),
                () -> ship.compensation(id, () -> {}),
                () -> ship.compensation(id, () -> {}),
                () -> own.run(() -> {
                    name.compensation(id + 5, recorded -> {});
                }));
        for (CountedStatements.Work work : onceMore) {
            assertThat(counted.during(work)).isEqualTo(forARowThatIsThere());
        }
    }

    /** Where one statement inserts or changes a row. */
    int forARowThatIsThere() {
        return 1;
    }
}
