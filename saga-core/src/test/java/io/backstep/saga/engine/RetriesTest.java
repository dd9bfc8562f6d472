package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.VoidAction;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which failures are tried again, how often and when. */
class RetriesTest extends EngineFixture {
    private final List<Duration> at = new ArrayList<>();

    private SagaDefinition<Input> oneStep(Retry retry, VoidAction<Input> action) {
        return define().step("one")
                .action(action)
                .compensate(c -> calls.add("undo one"))
                .retry(retry)
                .build();
    }

    private SagaDefinition<Input> failing(Retry retry, int times) {
        return oneStep(retry, c -> {
            at.add(time.elapsed());
            call("one", times);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void attempts_are_counted_exactly(int attempts) { // F176
        SagaInstance saga = run(failing(Retry.fixed(Duration.ofSeconds(2)).maxAttempts(attempts), Integer.MAX_VALUE));
        assertThat(at).hasSize(attempts);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(time.elapsed())
                .as("no wait after the last")
                .isEqualTo(Duration.ofSeconds(2).multipliedBy(attempts - 1));
    }

    @Test
    void a_retry_is_never_early_and_hardly_late() {
        run(failing(Retry.fixed(Duration.ofSeconds(2)).maxAttempts(4), 3));
        for (int i = 0; i < at.size(); i++) {
            assertThat(at.get(i))
                    .isBetween(
                            Duration.ofSeconds(2L * i),
                            Duration.ofSeconds(2L * i).plusMillis(1));
        }
    }

    @Test
    void a_delay_counts_from_the_end_of_a_slow_attempt() {
        run(oneStep(Retry.fixed(Duration.ofSeconds(2)).maxAttempts(3), c -> {
            at.add(time.elapsed());
            time.run(Duration.ofSeconds(3));
            call("one", 1);
        }));
        assertThat(at).containsExactly(Duration.ZERO, Duration.ofSeconds(5));
    }

    @Test
    void a_short_delay_is_held_and_a_long_one_releases_the_row() {
        TestNode node = node(failing(Retry.fixed(Duration.ofSeconds(9)).maxAttempts(2), 1));
        UUID id = start(node);
        time.run(Duration.ofSeconds(5));
        assertThat(row(id).owner()).isNotNull();
        assertThat(node.engine.status().held()).isOne();
        time.runUntil(() -> settled(id));

        TestNode other = node(failing(Retry.fixed(Duration.ofMinutes(5)).maxAttempts(10), 3));
        UUID longer = start(other);
        time.run(Duration.ofSeconds(1));
        assertThat(row(longer).owner()).isNull();
        assertThat(other.engine.status().held()).isZero();
        assertThat(row(longer).dueAt()).isAfterOrEqualTo(time.now().plus(Duration.ofSeconds(299)));
    }

    @Test
    void after_a_long_delay_another_node_takes_it_when_it_is_due_and_not_before() {
        SagaDefinition<Input> definition =
                failing(Retry.fixed(Duration.ofMinutes(5)).maxAttempts(2), 1);
        TestNode first = node(definition);
        UUID id = start(first);
        time.run(Duration.ofSeconds(1));
        first.kill();
        TestNode second = node(definition);
        assertThat(end(second, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(at.get(1))
                .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(5).plusSeconds(2));
        assertThat(history(id)).containsExactly("one ACTION 1 FAILED", "one ACTION 2 SUCCEEDED", " SAGA 0 ENDED");
    }

    @Test
    void a_rejection_is_not_tried_again_and_the_step_itself_not_undone() { // F109 (a)
        SagaInstance saga = run(oneStep(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(5), c -> {
            calls.add("one");
            throw new StepRejectedException("NO", "no");
        }));
        assertThat(calls).containsExactly("one");
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(steps(saga)).containsEntry("one", StepStatus.REJECTED);
    }

    @Test
    void a_type_that_reject_on_names_is_a_business_no_also_as_a_subclass() {
        SagaInstance saga = run(define().step("one")
                .action(c -> {
                    calls.add("one");
                    throw new FileNotFoundException("no such account");
                })
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(5))
                .rejectOn(IOException.class)
                .build());
        assertThat(calls).containsExactly("one");
        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
    }

    @Test
    void what_retry_on_does_not_name_is_unknown_at_once() {
        SagaInstance saga =
                run(oneStep(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(5).retryOn(IOException.class), c -> {
                    calls.add("one");
                    throw new IllegalStateException("broken");
                }));
        assertThat(calls).as("it may have taken effect").containsExactly("one", "undo one");
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
    }

    @Test
    void a_retriable_step_is_tried_for_ever() {
        SagaInstance saga = run(define().pivot("decide")
                .action(c -> calls.add("decide"))
                .retriable("ship")
                .action(c -> call("ship", 500))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).hasSize(502);
    }

    @Test
    void a_best_effort_step_is_given_up_and_the_saga_completes() {
        SagaInstance saga = run(define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .bestEffort("mail")
                .action(c -> always("mail"))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga.reason()).isNull();
        assertThat(calls).containsExactly("one", "mail", "mail");
        assertThat(steps(saga)).containsEntry("mail", StepStatus.GIVEN_UP);
    }

    @Test
    void a_limited_retriable_step_parks_when_it_is_spent() {
        SagaInstance saga = run(define().pivot("decide")
                .action(c -> calls.add("decide"))
                .retriable("ship")
                .action(c -> always("ship"))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(4))
                .build());
        assertThat(calls).hasSize(5);
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.RETRIABLE_EXHAUSTED);
        assertThat(row(saga.sagaId()).dueAt()).isNull();
        assertThat(row(saga.sagaId()).owner()).isNull();
    }

    @Test
    void a_rejected_retriable_step_parks() {
        SagaInstance saga = run(define().pivot("decide")
                .action(c -> calls.add("decide"))
                .retriable("ship")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
    }
}
