package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
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
            return Saga.define(TYPE)
                    .step("debit")
                    .action(c -> debit.prepare(
                            key(c.sagaId(), "debit"),
                            to -> TwoPhaseFixture.move(
                                    to, c.input().from(), -c.input().amount())))
                    .compensate(c -> debit.rollback(key(c.sagaId(), "debit")))
                    .step("credit")
                    .action(c -> credit.prepare(key(c.sagaId(), "credit"), to -> credit(to, c.input())))
                    .compensate(c -> credit.rollback(key(c.sagaId(), "credit")))
                    .pivot("decide")
                    .transactional()
                    .action(c -> {})
                    .retriable("commit-debit")
                    .action(c -> debit.commit(key(c.sagaId(), "debit")))
                    .retriable("commit-credit")
                    .action(c -> credit.commit(key(c.sagaId(), "credit")))
                    .build();
        }

        private static String key(UUID sagaId, String step) {
            return sagaId + ":" + step;
        }

        private static void credit(Connection connection, Transfer transfer) throws Exception {
            if (transfer.amount() > MOST) {
                throw new StepRejectedException("TOO-MUCH", "more than " + MOST);
            }
            TwoPhaseFixture.move(connection, transfer.to(), transfer.amount());
        }

        SagaEngine engine() {
            JdbcTransactions transactions = new JdbcTransactions(sagas);
            SagaEngine engine = SagaEngine.builder()
                    .store(JdbcSagaStore.create(sagas, transactions))
                    .transactions(transactions)
                    .tuning(Tuning.defaults().withLease(Duration.ofSeconds(2), Duration.ofMillis(100)))
                    .build();
            engine.register(definition());
            engine.start();
            return engine;
        }
    }

    /** The JVM that is killed. Arguments: where, saga id, accounts, amount, three URLs, user, password. */
    public static void main(String[] args) throws Exception {
        KilledAt killed = new KilledAt(Integer.parseInt(args[0]));
        List<DataSource> pools = new ArrayList<>();
        for (int i = 5; i < 8; i++) {
            pools.add(killed.of(
                    new TestDatabase(args[i], args[8], args[9]).pool(config -> config.setMaximumPoolSize(4))));
        }
        UUID id = UUID.fromString(args[1]);
        try (SagaEngine engine = new Databases(pools.get(0), pools.get(1), pools.get(2)).engine()) {
            Transfer transfer = new Transfer(args[2], args[3], Long.parseLong(args[4]));
            engine.client().start(TYPE, transfer, StartOptions.none().sagaId(id));
            engine.client().await(id, Duration.ofMinutes(1));
        }
        System.out.println("transfer " + id + " was not killed, " + killed.calls() + " calls");
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
        int committed = 0;
        try (SagaEngine other = new Databases(sagas, here.dataSource, there.dataSource).engine()) {
            for (long amount : List.of(1L, MOST + 1)) {
                for (int point = first; run(point, amount, started); point += stride) {}
            }
            for (Started each : started) {
                committed += hasCommitted(other, each) ? 1 : 0;
            }
        }

        System.out.println("TransferKillIT: " + started.size() + " transfers, " + (started.size() - 2)
                + " of them killed, " + committed + " committed");
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
    private boolean run(int point, long amount, List<Started> started) throws Exception {
        Started next = new Started(UUID.randomUUID(), here.account(MUCH), there.account(0));
        started.add(next);
        Process process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TransferKillIT.class.getName(),
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
