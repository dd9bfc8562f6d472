package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaStage;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a saga turns, and what is undone then. */
class TurningTest extends EngineFixture {
    private static final Retry TWICE = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2);

    private SagaStage<Input> oneDone() {
        return define().step("one").action(c -> calls.add("one")).compensate(c -> calls.add("undo one"));
    }

    @Test
    void after_its_attempts_are_spent_the_step_itself_is_undone_first_without_a_result() { // F109 (b)
        SagaInstance saga = run(oneDone()
                .step(FIRST)
                .action(c -> {
                    always("first");
                    return new Answer("never");
                })
                .compensate((c, answer) -> calls.add("undo first " + answer))
                .retry(TWICE)
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(calls).containsExactly("one", "first", "first", "undo first Optional.empty", "undo one");
    }

    @ParameterizedTest // F109, F115
    @ValueSource(booleans = {true, false})
    void a_rejection_undoes_what_was_done_before_and_a_lost_reply_the_step_itself_too(boolean rejected) {
        TestNode[] node = new TestNode[1];
        SagaStage<Input> saga = define();
        for (String name : List.of("one", "two", "three")) {
            saga = saga.step(name)
                    .action(c -> {
                        if (name.equals("three") && rejected) {
                            throw new StepRejectedException("NO", "no");
                        } else if (name.equals("three")) {
                            throw new SocketException("Connection reset");
                        }
                    })
                    .compensate(c -> {
                        SagaInstance now = node[0].client().find(c.sagaId()).orElseThrow();
                        calls.add("undo " + name + " " + now.status());
                    })
                    .retry(Retry.none());
        }
        node[0] = node(saga.build());

        assertThat(end(node[0], start(node[0])).status()).isEqualTo(SagaStatus.COMPENSATED);

        List<String> undone = List.of("undo two COMPENSATING", "undo one COMPENSATING");
        assertThat(calls).hasSize(rejected ? 2 : 3).endsWith(undone.toArray(String[]::new));
        if (!rejected) {
            assertThat(calls).startsWith("undo three COMPENSATING");
        }
    }

    @Test
    void a_rejection_after_an_unknown_attempt_is_not_definite() {
        SagaInstance saga = run(oneDone()
                .step("two")
                .action(c -> {
                    call("two", 1);
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo two"))
                .retry(TWICE)
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(calls).containsExactly("one", "two", "two", "undo two", "undo one");
    }

    @Test
    void a_transactional_step_whose_attempts_are_spent_is_not_undone_itself() {
        SagaInstance saga = run(oneDone()
                .step("two")
                .transactional()
                .action(c -> always("two"))
                .compensate(c -> calls.add("undo two"))
                .retry(TWICE)
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(calls).containsExactly("one", "two", "two", "undo one");
        assertThat(steps(saga)).containsEntry("two", StepStatus.GIVEN_UP);
    }

    @Test
    void a_transactional_rejection_is_definite_also_after_a_failure() {
        run(oneDone()
                .step("two")
                .transactional()
                .action(c -> {
                    call("two", 1);
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo two"))
                .retry(TWICE)
                .build());
        assertThat(calls).containsExactly("one", "two", "two", "undo one");
    }

    @Test
    void an_unknown_pivot_parks_and_nothing_is_undone() {
        SagaInstance saga = run(oneDone()
                .pivot("decide")
                .action(c -> always("decide"))
                .retry(TWICE)
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(calls).containsExactly("one", "decide", "decide");
    }

    @Test
    void a_pivot_that_is_rejected_after_an_unknown_attempt_parks() {
        SagaInstance saga = run(oneDone()
                .pivot("decide")
                .action(c -> {
                    call("decide", 1);
                    throw new StepRejectedException("NO", "no");
                })
                .retry(TWICE)
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(calls).containsExactly("one", "decide", "decide");
    }

    @Test
    void a_definite_rejection_of_the_pivot_turns() {
        SagaInstance saga = run(oneDone()
                .pivot("decide")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @Test
    void a_transactional_pivot_whose_attempts_are_spent_turns() {
        SagaInstance saga = run(oneDone()
                .pivot("decide")
                .transactional()
                .action(c -> always("decide"))
                .retry(TWICE)
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "decide", "decide", "undo one");
    }

    @Test
    void a_deadline_before_the_pivot_turns_also_while_a_retry_waits() {
        SagaInstance saga = run(oneDone()
                .step("two")
                .action(c -> always("two"))
                .compensate(c -> calls.add("undo two"))
                .retry(Retry.fixed(Duration.ofMinutes(20)).maxAttempts(9))
                .timeout(Duration.ofSeconds(30))
                .deadline(Duration.ofMinutes(10))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("one", "two", "undo two", "undo one");
        assertThat(time.elapsed()).isBetween(Duration.ofMinutes(10), Duration.ofSeconds(602));
    }

    @Test
    void a_deadline_awaits_the_running_attempt_and_undoes_its_success() {
        SagaInstance saga = run(define().step("one")
                .action(c -> {
                    calls.add("one left " + c.remaining());
                    time.run(Duration.ofSeconds(20));
                    calls.add("one done left " + c.remaining());
                })
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .deadline(Duration.ofSeconds(15))
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("one left PT15S", "one done left PT0S", "undo one");
    }

    @Test
    void a_deadline_after_the_pivot_is_void() {
        SagaInstance saga = run(oneDone()
                .pivot("decide")
                .action(c -> time.run(Duration.ofSeconds(20)))
                .retriable("ship")
                .action(c -> call("ship", 3))
                .deadline(Duration.ofSeconds(15))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "ship", "ship", "ship", "ship");
    }

    @Test
    void a_deadline_during_the_pivot_waits_and_counts_when_the_pivot_is_rejected() {
        SagaInstance saga = run(oneDone()
                .pivot("decide")
                .action(c -> {
                    time.run(Duration.ofSeconds(20));
                    throw new StepRejectedException("NO", "no");
                })
                .deadline(Duration.ofSeconds(15))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @Test
    void the_deadline_of_the_start_overrides_the_definition() {
        TestNode node = node(oneDone()
                .step("two")
                .action(c -> always("two"))
                .compensate(c -> calls.add("undo two"))
                .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(900))
                .deadline(Duration.ofDays(1))
                .build());
        SagaInstance saga = end(
                node,
                node.client()
                        .start(TYPE, INPUT, StartOptions.none().deadline(Duration.ofSeconds(90)))
                        .sagaId());
        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(time.elapsed()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(92));
    }

    @Test
    void an_unknown_last_step_undoes_everything_in_reverse() throws IOException {
        SagaInstance saga = run(oneDone()
                .step("two")
                .action(c -> calls.add("two"))
                .noCompensation("only a look-up")
                .step("three")
                .action(c -> calls.add("three"))
                .compensate(c -> calls.add("undo three"))
                .step("four")
                .action(c -> always("four"))
                .compensate(c -> calls.add("undo four"))
                .retry(Retry.none())
                .build());
        assertThat(calls).containsExactly("one", "two", "three", "four", "undo four", "undo three", "undo one");
        assertThat(history(saga.sagaId())).as("F118").contains("two COMPENSATION 0 SKIPPED");
    }
}
