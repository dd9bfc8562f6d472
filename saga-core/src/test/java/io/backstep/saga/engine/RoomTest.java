package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A node has no more sagas in memory than it may. */
class RoomTest extends EngineFixture {
    /** Of real time, for tests in which nobody is refused. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private SagaDefinition<Input> failingOnce() {
        return define().step("one")
                .action(c -> call("one " + c.sagaId(), 1))
                .noCompensation("nothing to undo")
                .retry(Retry.fixed(Duration.ofSeconds(3)))
                .build();
    }

    private TestNode node(int most, Duration timeout) {
        return node(TestNode.tuning().withInFlight(most, timeout), failingOnce());
    }

    @Test
    void a_start_beyond_the_limit_waits_until_a_saga_ends() throws Exception {
        TestNode node = node(2, PATIENCE);
        UUID first = start(node);
        UUID second = start(node);

        UUID third = onAnotherThread(() -> start(node));

        assertThat(time.elapsed()).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
        assertThat(row(first).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(end(node, second).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(end(node, third).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void one_that_waited_too_long_is_refused_and_nothing_is_written() {
        TestNode node = node(1, Duration.ZERO);
        UUID first = start(node);

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> start(node))
                    .isInstanceOf(SagaStartException.class)
                    .hasMessage("SAGA-START-014: this node has 1 sagas under way, allowed are 1, and there was no room"
                            + " for one more within PT0S; no saga was started");
        }
        assertThat(store.count(FaultyStore.Call.INSERT)).isEqualTo(1);
        assertThat(end(node, first).status()).isEqualTo(SagaStatus.COMPLETED);

        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_start_that_is_refused_otherwise_leaves_its_place() {
        TestNode node = node(1, Duration.ZERO);
        StartOptions key = StartOptions.businessKey("k");
        UUID first = node.client().start(TYPE, INPUT, key).sagaId();
        end(node, first);

        for (int i = 0; i < 3; i++) {
            assertThat(node.client().start(TYPE, INPUT, key).sagaId()).isEqualTo(first);
            assertThatThrownBy(() -> node.client().start(TYPE, new Input("other"), key))
                    .hasMessageContaining("SAGA-START-002");
        }
        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void closing_the_engine_ends_a_start_that_waits_for_room() {
        TestNode node = node(1, PATIENCE);
        start(node);
        time.timer(() -> true).after(Duration.ofMillis(10), node.engine::close);

        assertThatThrownBy(() -> onAnotherThread(() -> start(node))).hasMessageContaining("SAGA-START-006");

        assertThat(store.count(FaultyStore.Call.INSERT)).isEqualTo(1);
    }

    @Test
    void closing_the_engine_ends_a_start_that_waits_while_all_sagas_still_run() throws Exception {
        AtomicReference<TestNode> node = new AtomicReference<>();
        CompletableFuture<UUID> waiting = new CompletableFuture<>();
        SagaDefinition<Input> closing = define().step("one")
                .action(c -> {
                    node.get().engine.close();
                    assertThatThrownBy(waiting::join) // not get: the engine interrupts what runs
                            .hasMessageContaining("SAGA-START-006");
                    calls.add("refused");
                })
                .noCompensation("nothing to undo")
                .build();
        Tuning tuning = TestNode.tuning().withInFlight(1, PATIENCE).withPatience(Duration.ZERO, Duration.ZERO);
        node.set(node(tuning, closing));
        start(node.get());
        Thread starter = new Thread(() -> {
            try {
                waiting.complete(start(node.get()));
            } catch (RuntimeException e) {
                waiting.completeExceptionally(e);
            }
        });
        starter.start();
        while (starter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        time.run(Duration.ofSeconds(1));

        assertThat(calls).containsExactly("refused");
    }
}
