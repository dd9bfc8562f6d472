package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SignalOutcome;
import io.backstep.saga.jdbc.Nodes.Node;
import io.backstep.saga.store.InstanceRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** F008: what a saga waits for comes on one node when its time is up on another, on real databases. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SignalRaceIT {
    private static final SagaType<String> TYPE = SagaType.named("race", String.class);
    private static final Step<String> TOLD = Step.named("told", String.class);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int ROUNDS = 200;

    private final List<Nodes> databases = Nodes.all();
    private final List<UUID> undone = new CopyOnWriteArrayList<>();

    private record Round(SagaInstance saga, SignalOutcome outcome) {}

    @AfterEach
    void stop() throws Exception {
        for (Nodes database : databases) {
            database.stopAll();
        }
        undone.clear();
    }

    @AfterAll
    void close() throws Exception {
        for (Nodes database : databases) {
            database.close();
        }
    }

    private SagaDefinition<String> definition() {
        return Saga.define(TYPE)
                .step("ask")
                .action(c -> {})
                .compensate(c -> undone.add(c.sagaId()))
                .awaitSignal(TOLD, Duration.ofMillis(300))
                .build();
    }

    /** From 30 ms before the time is up to 16 ms after it. */
    private static Round round(int number, Node a, Node b) throws InterruptedException {
        UUID id = a.client().start(TYPE, "in").sagaId();
        InstanceRow waiting = await().atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> b.store().find(id).orElseThrow(), SignalRaceIT::waits);
        Instant due = Objects.requireNonNullElse(waiting.dueAt(), Instant.now());
        Instant then = due.plusMillis(number % 24 * 2 - 30);
        assertThat(new CountDownLatch(1)
                        .await(Duration.between(Instant.now(), then).toNanos(), TimeUnit.NANOSECONDS))
                .isFalse();
        SignalOutcome outcome = b.client().signal(id, TOLD, "yes", "m");
        return new Round(a.client().await(id, LONG), outcome);
    }

    private static boolean waits(InstanceRow row) {
        return row.status().ended() || (row.owner() == null && row.steps().contains("WAITING"));
    }

    @ParameterizedTest // F008
    @FieldSource("databases")
    void of_an_answer_and_a_timeout_at_once_one_wins(Nodes on) throws Exception {
        Node a = on.node(definition());
        Node b = on.node(definition());
        ExecutorService threads = Executors.newFixedThreadPool(16);
        List<Future<Round>> running = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            int number = i;
            running.add(threads.submit(() -> round(number, a, b)));
        }
        List<UUID> turned = new ArrayList<>();
        for (Future<Round> each : running) {
            Round round = each.get(2, TimeUnit.MINUTES);
            if (isConsistent(a, round)) {
                turned.add(round.saga().sagaId());
            }
        }
        threads.shutdown();

        assertThat(turned.size()).as("both ends are seen").isBetween(1, ROUNDS - 1);
        assertThat(undone).as("each once").containsExactlyInAnyOrderElementsOf(turned);
    }

    /** Tells whether it has turned. */
    private static boolean isConsistent(Node node, Round round) {
        SagaInstance saga = round.saga();
        List<Outcome> outcomes = node.store().history(saga.sagaId()).stream()
                .map(line -> line.entry().outcome())
                .toList();
        boolean turned = saga.status() == SagaStatus.COMPENSATED;
        assertThat(Collections.frequency(outcomes, Outcome.TURNED)).isEqualTo(turned ? 1 : 0);
        assertThat(Collections.frequency(outcomes, Outcome.ENDED)).isEqualTo(1);
        if (turned) {
            assertThat(saga.reason()).isEqualTo(SagaReason.UNANSWERED);
            assertThat(saga.result(TOLD)).isEmpty();
            assertThat(round.outcome()).isIn(SignalOutcome.TOO_LATE, SignalOutcome.ACCEPTED);
        } else {
            assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(saga.result(TOLD)).contains("yes");
            assertThat(round.outcome()).isEqualTo(SignalOutcome.ACCEPTED);
        }
        return turned;
    }
}
