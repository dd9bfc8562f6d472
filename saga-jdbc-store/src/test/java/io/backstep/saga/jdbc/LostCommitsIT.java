package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.CommitProxy.Cut;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** On a real database one commit after the other is lost (F3), or its answer is (F4), whatever it is of. G11. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LostCommitsIT {
    private static final SagaType<Boolean> TYPE = SagaType.named("lost", Boolean.class);
    private static final int COMMITS = 12;

    private final CommitProxy proxy;
    private final HikariDataSource pool;
    private final HikariDataSource proxied;
    private final JdbcTransactions transactions;

    LostCommitsIT() throws IOException {
        TestPostgres.Db near = TestPostgres.fresh();
        proxy = CommitProxy.before(near);
        TestPostgres.Db far = proxy.through(near);
        pool = new TestDatabase(near.url(), near.user(), near.password()).pool();
        proxied = new TestDatabase(far.url(), far.user(), far.password()).pool();
        transactions = new JdbcTransactions(proxied);
        SagaSchema.migrate(pool);
        TestDatabase.execute(pool, "create table effect (saga_id uuid, what varchar(10))");
    }

    @AfterAll
    void close() throws IOException {
        proxied.close();
        pool.close();
        proxy.close();
    }

    static Stream<Arguments> losses() {
        return IntStream.range(0, COMMITS)
                .boxed()
                .flatMap(after -> Stream.of(Cut.AFTER_COMMIT, Cut.BEFORE_COMMIT).map(cut -> Arguments.of(after, cut)));
    }

    private SagaDefinition<Boolean> definition() {
        return Saga.define(TYPE)
                .step("book")
                .transactional()
                .action(c -> effect(c.sagaId(), "book"))
                .compensate(c -> effect(c.sagaId(), "unbook"))
                .retry(Retry.fixed(Duration.ofMillis(20)).maxAttempts(5))
                .compensationRetry(Retry.fixed(Duration.ofMillis(20)).maxAttempts(5))
                .step("ask")
                .action(c -> {
                    if (c.input()) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .noCompensation("it only asks")
                .build();
    }

    private void effect(UUID id, String what) throws Exception {
        TestDatabase.execute(transactions.connection(), "insert into effect values (?, ?)", id, what);
    }

    private SagaEngine engine() {
        SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(proxied, transactions))
                .transactions(transactions)
                .tuning(Tuning.defaults().withLease(Duration.ofMillis(500), Duration.ofMillis(50)))
                .build();
        engine.register(definition());
        return engine;
    }

    @ParameterizedTest
    @MethodSource("losses")
    void everything_happens_once(int after, Cut cut) throws Exception {
        proxy.forgetPlan();
        for (int i = 0; i < after; i++) {
            proxy.next(Cut.NONE);
        }
        proxy.next(cut);
        try (SagaEngine engine = engine()) {
            untilTold(() -> {
                engine.start();
                return "";
            });
            UUID good = start(engine, "good " + after + cut, false);
            UUID bad = start(engine, "bad " + after + cut, true);
            UUID joined =
                    untilTold(() -> transactions.inTransaction(() -> start(engine, "joined " + after + cut, false)));
            settled(good, SagaStatus.COMPLETED, "book");
            settled(bad, SagaStatus.COMPENSATED, "book", "unbook");
            settled(joined, SagaStatus.COMPLETED, "book");
            SagaRetention retention = SagaRetention.of(engine, RetentionPolicy.keep(Duration.ofDays(1)));
            assertThat(untilTold(retention::run)).isZero();
        }
    }

    @Test
    void a_recovery_says_when_somebody_keeps_the_row_locked() throws Exception {
        Sagas sagas = new Sagas(JdbcSagaStore.create(pool, transactions));
        UUID id = sagas.owned(1).get(0);
        Held held = new Held(id, 1);
        try (Connection operator = pool.getConnection()) {
            operator.setAutoCommit(false);
            TestDatabase.execute(operator, "update saga_instance set headers = 'x' where saga_id = ?", id);
            Told<Optional<Claimed>> told = Told.by(callback -> sagas.store.recover(held, Sagas.LEASE, callback));
            assertThat(told.failure()).isInstanceOfSatisfying(SagaStoreException.class, locked -> {
                assertThat(locked.code()).isEqualTo("SAGA-DB-012");
                assertThat(locked.effect()).isEqualTo(Effect.NONE);
            });
            operator.rollback();
        }
        Told<Optional<Claimed>> told = Told.by(callback -> sagas.store.recover(held, Sagas.LEASE, callback));
        assertThat(told.answer()).isPresent();
    }

    private UUID start(SagaEngine engine, String key, boolean bad) throws Exception {
        return untilTold(() ->
                engine.client().start(TYPE, bad, StartOptions.businessKey(key)).sagaId());
    }

    /** As a caller does: what failed is asked for again. */
    private static <T> T untilTold(Callable<T> call) throws Exception {
        for (int tries = 1; ; tries++) {
            try {
                return call.call();
            } catch (SagaStoreException e) {
                assertThat(tries).isLessThan(5);
            }
        }
    }

    private void settled(UUID id, SagaStatus status, String... effects) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> TestDatabase.strings(pool, "select status from saga_instance where saga_id = ?", id)
                        .equals(List.of(status.name())));
        assertThat(TestDatabase.strings(pool, "select what from effect where saga_id = ? order by what", id))
                .containsExactly(effects);
        assertThat(TestDatabase.strings(
                        pool,
                        "select step || phase from saga_step_history where saga_id = ? and outcome = 'SUCCEEDED'",
                        id))
                .doesNotHaveDuplicates();
    }
}
