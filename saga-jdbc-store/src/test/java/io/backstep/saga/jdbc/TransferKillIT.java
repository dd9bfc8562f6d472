package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A transfer between two databases, prepared in both and then committed in both. A JVM begins it and is killed at one of its calls to any of
 * the three databases; another node goes on.
 */
class TransferKillIT {
    /**
     * The input.
     *
     * @param from account in the one database
     * @param to account in the other
     * @param amount refused by the other when it is too much
     */
    record Transfer(String from, String to, long amount) {}

    private static final SagaType<Transfer> TYPE = SagaType.named("transfer", Transfer.class);
    private static final long MOST = 50;
    private static final long MUCH = 100;
    private static final int KILLED = 137;

    private record Databases(DataSource sagas, DataSource here, DataSource there) {
        SagaDefinition<Transfer> definition() {
            TwoPhaseParticipant debit = TwoPhaseParticipant.create("debit", here);
            TwoPhaseParticipant credit = TwoPhaseParticipant.create("credit", there);
            return Tcc.define(TYPE)
                    .tcc("debit")
                    .tryAction(c -> debit.prepare(
                            c.idempotencyKey(),
                            to -> TwoPhaseFixture.move(
                                    to, c.input().from(), -c.input().amount())))
                    .confirm(c -> debit.commit(c.idempotencyKey()))
                    .cancel(c -> debit.rollback(c.idempotencyKey()))
                    .tcc("credit")
                    .tryAction(c -> credit.prepare(c.idempotencyKey(), to -> credit(to, c.input())))
                    .confirm(c -> credit.commit(c.idempotencyKey()))
                    .cancel(c -> credit.rollback(c.idempotencyKey()))
                    .build();
        }

        private static void credit(Connection connection, Transfer transfer) throws Exception {
            if (transfer.amount() > MOST) {
                throw new StepRejectedException("TOO-MUCH", "more than " + MOST);
            }
            TwoPhaseFixture.move(connection, transfer.to(), transfer.amount());
        }

        SagaEngine engine(Duration poll) {
            JdbcTransactions transactions = new JdbcTransactions(sagas);
            SagaEngine engine = SagaEngine.builder()
                    .store(JdbcSagaStore.create(sagas, transactions))
                    .transactions(transactions)
                    .tuning(Tuning.defaults().withLease(Duration.ofSeconds(2), poll))
                    .build();
            engine.register(definition());
            engine.start();
            return engine;
        }
    }

    /** The JVM that is killed. Arguments: at one of which database's calls, where, saga id, accounts, amount, three URLs, user, password. */
    public static void main(String[] args) throws Exception {
        KilledAt killed = new KilledAt(Integer.parseInt(args[1]));
        List<DataSource> pools = new ArrayList<>();
        for (int i = 6; i < 9; i++) {
            DataSource pool = new TestDatabase(args[i], args[9], args[10]).pool(config -> config.setMaximumPoolSize(4));
            pools.add(i == 6 + Database.valueOf(args[0]).ordinal() ? killed.of(pool) : pool);
        }
        UUID id = UUID.fromString(args[2]);
        Databases databases = new Databases(pools.get(0), pools.get(1), pools.get(2));
        try (SagaEngine engine = databases.engine(Duration.ofMinutes(1))) { // it does not look for what the others left
            Transfer transfer = new Transfer(args[3], args[4], Long.parseLong(args[5]));
            engine.client().start(TYPE, transfer, StartOptions.none().sagaId(id));
            engine.client().await(id, Duration.ofMinutes(1));
        }
        System.out.println("a transfer of " + args[5] + " was not killed: " + killed.calls() + " calls to " + args[0]);
    }

    private enum Database {
        SAGAS,
        HERE,
        THERE
    }

    private record Started(UUID id, String from, String to) {}

    private TwoPhaseFixture here;
    private TwoPhaseFixture there;
    private HikariDataSource sagas;

    @BeforeEach
    void open() {
        here = TwoPhaseFixture.open();
        there = TwoPhaseFixture.open();
        sagas = TestDatabase.postgres().pool();
        SagaSchema.migrate(sagas);
    }

    @AfterEach
    void close() {
        sagas.close();
        here.close();
        there.close();
    }

    /** All points are tried by {@code -Dsaga.twophase.stride=1}, or in parts by greater strides and {@code -Dsaga.twophase.first}. */
    @Test
    void wherever_the_coordinator_is_killed_money_is_conserved_and_nothing_stays_prepared() throws Exception {
        int stride = Objects.requireNonNull(Integer.getInteger("saga.twophase.stride", 29));
        int first = Objects.requireNonNull(Integer.getInteger("saga.twophase.first", 0));
        List<Started> started = new ArrayList<>();
        int killed = 0;
        int committed = 0;
        Databases databases = new Databases(sagas, here.dataSource, there.dataSource);
        try (SagaEngine other = databases.engine(Duration.ofMillis(100))) {
            for (long amount : List.of(1L, MOST + 1)) {
                for (Database database : Database.values()) {
                    int points = first;
                    while (run(database, points, amount, started)) {
                        points += stride;
                        killed++;
                    }
                    System.out.printf(
                            "TransferKillIT: %d: the calls to %s end before point %d%n", amount, database, points);
                }
            }
            for (Started each : started) {
                committed += hasCommitted(other, each) ? 1 : 0;
            }
        }

        System.out.printf(
                "TransferKillIT: %d transfers, %d of them killed, %d committed; here %d, there %d%n",
                started.size(), killed, committed, here.money(), there.money());
        assertThat(here.money() + there.money()).isEqualTo(started.size() * MUCH);
        assertThat(here.prepared()).isEmpty();
        assertThat(there.prepared()).isEmpty();
    }

    private boolean hasCommitted(SagaEngine engine, Started started) {
        SagaStatus end = engine.client()
                .find(started.id())
                .map(saga -> engine.client()
                        .await(saga.sagaId(), Duration.ofMinutes(1))
                        .status())
                .orElse(SagaStatus.COMPENSATED); // it was killed before its start was stored
        assertThat(end).as("" + started).isIn(SagaStatus.COMPLETED, SagaStatus.COMPENSATED);
        boolean completed = end == SagaStatus.COMPLETED;
        assertThat(here.balance(started.from())).isEqualTo(completed ? MUCH - 1 : MUCH);
        assertThat(there.balance(started.to())).isEqualTo(completed ? 1 : 0);
        return completed;
    }

    /** False when it has come to its end without being killed. */
    private boolean run(Database database, int point, long amount, List<Started> started) throws Exception {
        Started next = new Started(UUID.randomUUID(), here.account(MUCH), there.account(0));
        started.add(next);
        Process process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TransferKillIT.class.getName(),
                        database.name(),
                        "" + point,
                        next.id().toString(),
                        next.from(),
                        next.to(),
                        "" + amount,
                        sagas.getJdbcUrl(),
                        here.dataSource.getJdbcUrl(),
                        there.dataSource.getJdbcUrl(),
                        sagas.getUsername(),
                        sagas.getPassword()))
                .inheritIO()
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isIn(0, KILLED);
            return process.exitValue() == KILLED;
        } finally {
            process.destroyForcibly();
        }
    }
}
