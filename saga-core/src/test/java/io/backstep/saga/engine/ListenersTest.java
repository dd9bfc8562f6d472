package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.slf4j.helpers.BasicMDCAdapter;

/** What listeners hear, and that nothing they do matters. */
class ListenersTest extends EngineFixture {
    private final List<String> heard = new ArrayList<>();

    private final class Hearing implements SagaListener {
        @Override
        public void started(SagaInstance saga) {
            heard.add("started " + memory.find(saga.sagaId()).isPresent());
        }

        @Override
        public void attemptEnded(SagaInstance saga, Attempt attempt) {
            boolean recorded = history(saga.sagaId()).stream()
                    .anyMatch(line -> line.equals(
                            attempt.step() + " " + attempt.phase() + " " + attempt.number() + " " + attempt.outcome()));
            heard.add(attempt.step() + " " + attempt.phase() + " " + attempt.number() + " " + attempt.outcome()
                    + (recorded ? "" : " TOO EARLY"));
        }

        @Override
        public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
            heard.add(before + " -> " + saga.status()
                    + (row(saga.sagaId()).status() == saga.status() ? "" : " TOO EARLY"));
        }

        @Override
        public void compensationEnded(SagaInstance saga, String step, boolean succeeded, int retries) {
            heard.add("compensation " + step + " " + succeeded + " " + retries);
        }
    }

    private static final class Throwing implements SagaListener {
        @Override
        public void started(SagaInstance saga) {
            throw unchecked(new IOException("started"));
        }

        @Override
        public void attemptEnded(SagaInstance saga, Attempt attempt) {
            throw new AssertionError("attemptEnded");
        }

        @Override
        public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
            throw new StackOverflowError();
        }

        @Override
        public void compensationEnded(SagaInstance saga, String step, boolean succeeded, int retries) {
            throw new NoClassDefFoundError("gone");
        }
    }

    /** As code does that was compiled without a look at what it throws. */
    @SuppressWarnings("unchecked")
    static <E extends Exception> RuntimeException unchecked(Exception thrown) throws E {
        throw (E) thrown;
    }

    private SagaDefinition<Input> turning() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> call("undo one", 1))
                .compensationRetry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3))
                .step("two")
                .action(c -> {
                    call("two", 1);
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> always("undo two"))
                .compensationRetry(Retry.none())
                .build();
    }

    @Test
    void they_hear_what_is_recorded_once_and_after_the_write() { // F115
        TestNode node = listening(new Hearing(), turning());
        end(node, start(node));
        assertThat(heard)
                .containsExactly(
                        "started true",
                        "one ACTION 1 SUCCEEDED",
                        "two ACTION 1 FAILED",
                        "two ACTION 2 REJECTED",
                        "RUNNING -> COMPENSATING",
                        "two COMPENSATION 1 FAILED",
                        "compensation two false 0",
                        "one COMPENSATION 1 FAILED",
                        "one COMPENSATION 2 SUCCEEDED",
                        "compensation one true 1",
                        "COMPENSATING -> FAILED");
    }

    @Test // D19
    void a_step_without_its_result_is_told_as_done_as_it_is_recorded() {
        Step<String> large = Step.named("large", String.class);
        TestNode node = listening(
                new Hearing(),
                define().step(large)
                        .action(c -> "x".repeat(2 << 20))
                        .noCompensation("nothing")
                        .build());
        try (Logs logs = new Logs()) {
            end(node, start(node));
            assertThat(logs.warnings().get(0))
                    .contains("action of step large: SUCCEEDED of attempt 1 (done, but its result cannot be kept): ")
                    .contains("SAGA-SER-003");
        }
        assertThat(heard).containsExactly("started true", "large ACTION 1 SUCCEEDED", "RUNNING -> FAILED");
    }

    @Test
    void a_write_in_doubt_is_heard_once() {
        TestNode node = listening(
                new Hearing(),
                define().step("one")
                        .action(c -> calls.add("one"))
                        .noCompensation("nothing")
                        .build());
        store.next(FaultyStore.Call.SUBMIT, FaultyStore.Fault.APPLIED_IN_DOUBT);
        end(node, start(node));
        time.run(Duration.ofSeconds(5));
        assertThat(heard).containsExactly("started true", "one ACTION 1 SUCCEEDED", "RUNNING -> COMPLETED");
    }

    @Test
    void a_child_is_heard_as_started_too() {
        SagaDefinition<Integer> child = Saga.define(SagaType.named("child", Integer.class))
                .step("a")
                .action(c -> calls.add("a"))
                .noCompensation("a test")
                .build();
        SagaDefinition<Input> parent =
                define().step("ship").startSaga(child, c -> 1).build();
        TestNode node = listening(new Hearing(), parent, child);
        end(node, start(node));
        assertThat(heard).containsSubsequence("started true", "started true", "a ACTION 1 SUCCEEDED");
    }

    @Test
    void a_joined_start_is_heard_after_the_commit() throws Exception { // F080
        TestNode node = listening(new Hearing(), turning());
        memory.transactions().inTransaction(() -> {
            UUID id = start(node);
            assertThat(heard).isEmpty();
            return id;
        });
        assertThat(heard).containsExactly("started true");
    }

    @Test
    void what_they_throw_disturbs_nothing() throws Exception { // F080
        TestNode node = listening(new Throwing(), turning());
        SagaInstance saga = end(node, start(node));
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(calls).containsExactly("one", "two", "two", "undo two", "undo one", "undo one");
        UUID joined = memory.transactions().inTransaction(() -> start(node));
        assertThat(end(node, joined).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void an_alert_listener_that_throws_disturbs_nothing() {
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(memory.transactions())
                .executor(time.executor(() -> true))
                .storeExecutor(Runnable::run)
                .timer(time.timer(() -> true))
                .clock(time.clock())
                .alertListener(alert -> {
                    throw unchecked(new IOException("no"));
                })
                .alertListener(alert -> heard.add(alert.code()))
                .build();
        engine.register(turning());
        engine.start();
        UUID id = engine.client().start(TYPE, INPUT).sagaId();
        time.runUntil(() -> settled(id));
        assertThat(heard).containsExactly("SAGA-ALERT-002", "SAGA-ALERT-001");
    }

    @Test
    void user_code_sees_its_saga_in_the_log_context_and_nobody_sees_it_afterwards() throws Exception { // F014, F163
        Field adapter = MDC.class.getDeclaredField("MDC_ADAPTER");
        adapter.setAccessible(true);
        Object before = adapter.get(null);
        adapter.set(null, new BasicMDCAdapter()); // the one of the simple logger keeps nothing
        try {
            checkLogContext();
        } finally {
            adapter.set(null, before);
        }
    }

    private void checkLogContext() {
        MDC.put("of the application", "stays");
        List<Map<String, String>> seen = new ArrayList<>();
        TestNode node = node(define().step("one")
                .action(c -> {
                    seen.add(MDC.getCopyOfContextMap());
                    MDC.put("left behind", "x");
                    throw new IOException("away");
                })
                .compensate(c -> seen.add(MDC.getCopyOfContextMap()))
                .retry(Retry.none())
                .build());
        UUID id = start(node);
        end(node, id);
        assertThat(seen).hasSize(2);
        assertThat(seen.get(0))
                .containsEntry("sagaId", id.toString())
                .containsEntry("sagaName", "test")
                .containsEntry("step", "one")
                .containsEntry("attempt", "1");
        assertThat(seen.get(1)).doesNotContainKey("left behind");
        assertThat(MDC.getCopyOfContextMap()).containsOnlyKeys("of the application");
        MDC.clear();
    }
}
