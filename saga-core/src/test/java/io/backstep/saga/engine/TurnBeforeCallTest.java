package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** No action begins once a saga has turned, also one that was recorded and waits for a free worker. */
class TurnBeforeCallTest extends EngineFixture {
    private static final Duration BUSY = Duration.ofSeconds(20);

    private TestNode node;

    /** The only worker is busy with another saga while the one with this deadline waits for it. */
    private SagaDefinition<Input> definition() {
        return define().step("one")
                .action(c -> {
                    calls.add("one of " + c.businessKey());
                    if ("busy".equals(c.businessKey())) {
                        time.run(BUSY);
                    }
                })
                .compensate(c -> calls.add("undo one of " + c.businessKey()))
                .build();
    }

    private UUID start(StartOptions options) {
        return node.client().start(TYPE, INPUT, options).sagaId();
    }

    private void oneWorker() {
        node = node(TestNode.tuning().withWorkerThreads(1), definition());
    }

    @Test
    void a_deadline_takes_back_the_action_that_waits_for_a_worker() {
        oneWorker();
        start(StartOptions.businessKey("busy"));
        UUID late = start(StartOptions.businessKey("late").deadline(Duration.ofSeconds(5)));
        SagaInstance saga = end(node, late);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        time.run(BUSY);
        assertThat(calls).containsExactly("one of busy");
        assertThat(steps(node.client().find(late).orElseThrow())).containsEntry("one", StepStatus.PENDING);
        assertThat(history(late)).containsExactly(" SAGA 0 TURNED", " SAGA 0 ENDED");
    }

    /** The worker is so quick that it finds the lease lapsed before the turn is written. */
    @Test
    void an_action_that_waits_to_know_whether_the_saga_is_still_its_nodes_does_not_begin_either() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    calls.add("one");
                    store.answers = this::thirtySecondsLate;
                })
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> calls.add("two"))
                .noCompensation("nothing")
                .build();
        SagaEngine engine = onOneThread(definition);
        UUID id = engine.client()
                .start(TYPE, INPUT, StartOptions.none().deadline(Duration.ofSeconds(20)))
                .sagaId();
        time.runUntil(() -> settled(id));

        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
        assertThat(row(id).epoch()).as("it asked").isEqualTo(2);
    }

    private SagaEngine onOneThread(SagaDefinition<Input> definition) {
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(memory.transactions())
                .tuning(TestNode.tuning())
                .executor(Runnable::run)
                .storeExecutor(Runnable::run)
                .timer(time.timer(() -> true))
                .clock(time.clock())
                .build();
        engine.register(definition);
        engine.start();
        return engine;
    }

    /** Meanwhile nothing can be reached, so that the lease lapses and the deadline passes. */
    private void thirtySecondsLate(Runnable answer) {
        store.answers = Runnable::run;
        store.away = true;
        time.run(Duration.ofSeconds(30));
        store.away = false;
        answer.run();
    }

    @Test
    void so_does_a_wish_to_cancel() {
        oneWorker();
        start(StartOptions.businessKey("busy"));
        UUID unwanted = start(StartOptions.businessKey("unwanted"));
        assertThat(node.client().cancel(unwanted, "not wanted")).isEqualTo(CancelOutcome.ACCEPTED);

        assertThat(end(node, unwanted).status()).isEqualTo(SagaStatus.COMPENSATED);
        time.run(BUSY);
        assertThat(calls).containsExactly("one of busy");
    }

    @Test
    void an_attempt_that_may_have_taken_effect_is_undone_although_its_repetition_is_taken_back() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    calls.add("one of " + c.businessKey());
                    if ("busy".equals(c.businessKey())) {
                        time.run(BUSY);
                    } else {
                        throw new IOException("the reply is lost");
                    }
                })
                .compensate(c -> calls.add("undo one of " + c.businessKey()))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3))
                .build();
        node = node(TestNode.tuning().withWorkerThreads(1), definition);
        UUID late = start(StartOptions.businessKey("late").deadline(Duration.ofSeconds(5)));
        time.runUntil(() -> calls.contains("one of late"));
        start(StartOptions.businessKey("busy"));

        assertThat(end(node, late).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one of late", "one of busy", "undo one of late");
    }
}
