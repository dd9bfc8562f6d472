package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Of two siblings one is transactional, and records itself; the other stands in the queue of the workers meanwhile. Whatever else that
 * write could tell of the saga, only the next one may turn it: it takes back what stands in the queue.
 */
class QueuedSiblingsTest extends EngineFixture {
    private static final Duration HOUR = Duration.ofHours(1);

    private SagaStage<Input> begins() {
        return define().step("one").action(c -> time.run(Duration.ofSeconds(1))).noCompensation("a test");
    }

    private SagaStage<Input> siblings(SagaStage<Input> saga) {
        return saga.step("queued")
                .after("one")
                .action(c -> calls.add("queued"))
                .compensate(c -> calls.add("undo queued"))
                .step("local")
                .after("one")
                .transactional()
                .action(c -> {
                    calls.add("local");
                    time.run(Duration.ofSeconds(6));
                })
                .compensate(c -> calls.add("undo local"));
    }

    /** On workers that come to the sibling only when all is over. */
    private SagaEngine engine(SagaDefinition<Input> definition) {
        int[] begun = {0};
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(memory.transactions())
                .tuning(TestNode.tuning())
                .executor(task -> later(Duration.ofSeconds(begun[0]++ == 1 ? 10 : 0), task))
                .storeExecutor(Runnable::run)
                .timer(time.timer(() -> true))
                .clock(time.clock())
                .build();
        engine.register(definition);
        engine.start();
        return engine;
    }

    private void turnsWithoutTheSibling(UUID id, SagaReason reason) {
        time.run(Duration.ofSeconds(30));

        assertThat(row(id).reason()).isEqualTo(reason);
        assertThat(calls).containsExactly("local", "undo local");
    }

    @Test // found by the simulation, seed 541827
    void a_deadline_that_has_passed_meanwhile_lets_no_sibling_begin() {
        SagaEngine engine = engine(siblings(begins()).build());
        UUID id = engine.client()
                .start(TYPE, INPUT, StartOptions.none().deadline(Duration.ofSeconds(5)))
                .sagaId();

        turnsWithoutTheSibling(id, SagaReason.DEADLINE_EXCEEDED);
        assertThat(history(id)).startsWith("one ACTION 1 SUCCEEDED", "local ACTION 1 SUCCEEDED", " SAGA 0 TURNED");
    }

    @Test // found by the simulation, seeds 6061 and 6927
    void a_wait_that_is_up_meanwhile_lets_no_sibling_begin() {
        SagaEngine engine = engine(siblings(begins())
                .awaitSignal(FIRST, Duration.ofSeconds(4))
                .after("one")
                .build());
        UUID id = engine.client().start(TYPE, INPUT).sagaId();

        turnsWithoutTheSibling(id, SagaReason.UNANSWERED);
        assertThat(history(id))
                .startsWith(
                        "one ACTION 1 SUCCEEDED",
                        "local ACTION 1 SUCCEEDED",
                        "first ACTION 1 TIMED_OUT",
                        " SAGA 0 TURNED");
    }

    /** It came too early, so a write has kept it, and its step begins to wait when the transactional one is recorded. */
    @Test
    void a_refusal_that_was_kept_lets_no_sibling_begin_and_is_told_at_once() {
        SagaEngine engine = engine(
                siblings(begins()).awaitSignal(FIRST, HOUR).after("local").build());
        UUID id = engine.client().start(TYPE, INPUT).sagaId();
        later(
                Duration.ofMillis(500),
                () -> assertThat(engine.client().signalRejected(id, FIRST, "NO", "no", "m1"))
                        .isEqualTo(SignalOutcome.BUFFERED));

        turnsWithoutTheSibling(id, SagaReason.REJECTED);
        assertThat(history(id))
                .startsWith(
                        "one ACTION 1 SUCCEEDED",
                        "local ACTION 1 SUCCEEDED",
                        "first ACTION 1 REJECTED",
                        " SAGA 0 TURNED");
    }
}
