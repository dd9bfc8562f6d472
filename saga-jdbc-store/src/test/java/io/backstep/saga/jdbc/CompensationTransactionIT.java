package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.jdbc.Nodes.Node;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compensations that do not run as their action does, on real databases. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompensationTransactionIT {
    private static final SagaType<String> LOCAL = SagaType.named("undone-locally", String.class);
    private static final SagaType<String> REMOTE = SagaType.named("undone-remotely", String.class);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<Nodes> databases = Nodes.all();
    private final List<String> calls = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (Nodes database : databases) {
            database.stopAll();
        }
        calls.clear();
    }

    @AfterAll
    void close() throws Exception {
        for (Nodes database : databases) {
            database.close();
        }
    }

    private static void refuse() {
        throw new StepRejectedException("NO", "no");
    }

    private static int undone(Nodes on, UUID id) {
        return on.count("select count(*) from business where id like ?", id + "%");
    }

    /** Loses the answer of a commit, or the commit, of this thread. */
    private static DataSource losing(DataSource source, AtomicReference<Thread> victim, boolean applied) {
        return Watched.wrap(source, borrowed -> {}, (connection, method, arguments) -> {
            if (!method.getName().equals("commit") || !victim.compareAndSet(Thread.currentThread(), null)) {
                return Watched.call(connection, method, arguments);
            }
            if (applied) {
                connection.commit();
            } else {
                connection.rollback();
            }
            throw new SQLException("an I/O error occurred", "08006");
        });
    }

    Stream<Arguments> losses() {
        return databases.stream().flatMap(on -> Stream.of(Arguments.of(on, true), Arguments.of(on, false)));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void what_undoes_a_remote_step_in_a_transaction_takes_effect_once_with_its_record(Nodes on, boolean applied) {
        AtomicReference<Thread> victim = new AtomicReference<>();
        Node node = on.node(source -> losing(source, victim, applied), transactions -> locally(transactions, victim));
        UUID id = node.client().start(LOCAL, "in").sagaId();

        SagaInstance saga = node.client().await(id, LONG);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(victim.get()).as("the commit was met").isNull();
        assertThat(calls)
                .containsExactlyElementsOf(
                        applied ? List.of("one false", "undo true") : List.of("one false", "undo true", "undo true"));
        assertThat(undone(on, id)).isEqualTo(1);
        assertThat(node.store().history(id))
                .filteredOn(line -> line.entry().step().equals("one"))
                .extracting(line -> line.entry().phase() + " " + line.entry().outcome())
                .containsExactlyElementsOf(
                        applied
                                ? List.of("ACTION SUCCEEDED", "COMPENSATION SUCCEEDED")
                                : List.of("ACTION SUCCEEDED", "COMPENSATION FAILED", "COMPENSATION SUCCEEDED"));
    }

    private SagaDefinition<String> locally(JdbcTransactions transactions, AtomicReference<Thread> victim) {
        return Saga.define(LOCAL)
                .step("one")
                .action(c -> calls.add("one " + transactions.isActive()))
                .compensate(c -> {
                    calls.add("undo " + transactions.isActive());
                    if (c.attempt() == 1) {
                        victim.set(Thread.currentThread());
                    }
                    TestDatabase.execute(
                            transactions.connection(),
                            "insert into business values (?)",
                            c.sagaId() + " " + c.attempt());
                })
                .compensationTransactional(true)
                .step("two")
                .action(c -> refuse())
                .noCompensation("a test")
                .build();
    }

    /** What it does by itself stays done, though the attempt fails. */
    @ParameterizedTest
    @FieldSource("databases")
    void what_undoes_a_transactional_step_remotely_has_no_transaction(Nodes on) {
        Node node = on.node(
                Nodes.QUICK,
                transactions -> Saga.define(REMOTE)
                        .step("one")
                        .transactional()
                        .action(c -> calls.add("one " + transactions.isActive()))
                        .compensate(c -> {
                            calls.add("undo " + transactions.isActive());
                            on.execute("insert into business values (?)", c.sagaId() + " " + c.attempt());
                            if (c.attempt() == 1) {
                                throw new IllegalStateException("once more");
                            }
                        })
                        .compensationTransactional(false)
                        .step("two")
                        .action(c -> refuse())
                        .noCompensation("a test")
                        .build());
        UUID id = node.client().start(REMOTE, "in").sagaId();

        SagaInstance saga = node.client().await(id, LONG);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one true", "undo false", "undo false");
        assertThat(undone(on, id)).isEqualTo(2);
    }
}
