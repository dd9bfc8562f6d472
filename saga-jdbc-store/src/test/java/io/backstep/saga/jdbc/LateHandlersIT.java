package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.jdbc.Nodes.Node;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * F103: local handlers that insert a row after their time is up, on real databases. When their saga turns, nothing of them is left.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LateHandlersIT {
    private static final SagaType<String> TYPE = SagaType.named("late", String.class);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final List<Nodes> databases = Nodes.all();
    private final List<String> events = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (Nodes database : databases) {
            database.stopAll();
        }
        events.clear();
    }

    @AfterAll
    void close() throws Exception {
        for (Nodes database : databases) {
            database.close();
        }
    }

    private void insert(Nodes on, StepContext<String> c) {
        on.execute("insert into business values (?)", c.sagaId().toString());
        events.add("inserted");
    }

    private void delete(Nodes on, StepContext<String> c) {
        on.execute("delete from business where id = ?", c.sagaId().toString());
        events.add("undone");
    }

    private static int rows(Nodes on, UUID id) {
        return on.count("select count(*) from business where id = ?", id.toString());
    }

    private static boolean turned(Nodes on, UUID id) {
        return on.count(
                        "select count(*) from saga_instance where saga_id = ? and status = 'COMPENSATING'",
                        on.parameter(id))
                == 1;
    }

    /** Takes no notice of the interrupt that comes with its timeout. */
    private static void untilTimeIsUp() {
        try {
            assertThat(new CountDownLatch(1).await(LONG.toMillis(), TimeUnit.MILLISECONDS))
                    .isFalse();
        } catch (InterruptedException e) {
            Thread.onSpinWait(); // and goes on
        }
    }

    private static void longer(Duration time) throws InterruptedException {
        assertThat(new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
    }

    @ParameterizedTest // F103
    @FieldSource("databases")
    void what_is_inserted_after_the_timeout_by_a_handler_that_then_fails_is_undone(Nodes on) {
        Node node = on.node(Saga.define(TYPE)
                .step("insert")
                .action(c -> {
                    untilTimeIsUp();
                    longer(SHORT.multipliedBy(2));
                    insert(on, c);
                    throw new IllegalStateException("its answer is lost");
                })
                .compensate(c -> delete(on, c))
                .timeout(SHORT)
                .retry(Retry.none())
                .build());

        SagaInstance saga = node.client().await(node.client().start(TYPE, "in").sagaId(), LONG);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(events).containsExactly("inserted", "undone");
        assertThat(rows(on, saga.sagaId())).isZero();
    }

    @ParameterizedTest // F103
    @FieldSource("databases")
    void what_is_inserted_after_the_timeout_by_a_handler_whose_saga_is_overdue_is_undone(Nodes on) {
        Node node = on.node(Saga.define(TYPE)
                .version(2)
                .step("insert")
                .action(c -> {
                    untilTimeIsUp();
                    await().atMost(LONG).until(() -> turned(on, c.sagaId()));
                    insert(on, c);
                })
                .compensate(c -> delete(on, c))
                .timeout(SHORT)
                .step("next")
                .action(c -> events.add("next"))
                .noCompensation("a test")
                .deadline(Duration.ofSeconds(4))
                .build());
        UUID id = node.client().start(TYPE, "in").sagaId();

        SagaInstance saga = node.client().await(id, LONG);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(events).containsExactly("inserted", "undone");
        assertThat(rows(on, id)).isZero();
    }

    /** It is given up, and shut out by the epoch: what it inserts when its saga has ended is rolled back. */
    @ParameterizedTest // F103
    @FieldSource("databases")
    void what_is_inserted_in_a_transaction_that_was_given_up_is_never_seen(Nodes on) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Node node = on.node(
                Nodes.QUICK.withPatience(Duration.ofSeconds(5), SHORT),
                transactions -> Saga.define(TYPE)
                        .version(3)
                        .step("insert")
                        .transactional()
                        .action(c -> {
                            untilTimeIsUp();
                            ended.await();
                            TestDatabase.execute(
                                    transactions.connection(),
                                    "insert into business values (?)",
                                    c.sagaId().toString());
                            events.add("inserted");
                            transactions.afterCommit(() -> events.add("committed"));
                            over.countDown();
                        })
                        .compensate(c -> events.add("undone"))
                        .timeout(SHORT)
                        .retry(Retry.none())
                        .build());
        UUID id = node.client().start(TYPE, "in").sagaId();

        assertThat(node.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(node.store().history(id).get(0).entry().outcome()).isEqualTo(Outcome.ABANDONED);
        ended.countDown();
        assertThat(over.await(1, TimeUnit.MINUTES)).isTrue();
        on.stopAll(); // waits for the handler's thread

        assertThat(events).containsExactly("inserted");
        assertThat(rows(on, id)).isZero();
    }
}
