package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long an attempt may take, and what begins no more. */
class DeadlineBudgetTest extends EngineFixture {
    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }

    @Test
    void an_attempt_has_its_timeout_or_what_is_left_until_the_deadline() {
        SagaInstance saga = run(define().step("far")
                .action(c -> {
                    time.pass(seconds(4));
                    calls.add("far " + c.remaining());
                })
                .noCompensation("a test")
                .timeout(seconds(5))
                .step("near")
                .action(c -> {
                    calls.add("near " + c.remaining());
                    time.pass(seconds(2));
                    calls.add("near " + c.remaining());
                })
                .noCompensation("a test")
                .timeout(seconds(5))
                .deadline(seconds(7))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("far PT1S", "near PT3S", "near PT1S");
    }

    @Test
    void a_compensation_has_its_own_timeout_also_after_the_deadline() {
        SagaInstance saga = run(define().step("slow")
                .action(c -> time.pass(seconds(4)))
                .compensate(c -> calls.add("undo " + c.remaining()))
                .timeout(seconds(3))
                .compensationTimeout(seconds(9))
                .step("next")
                .action(c -> calls.add("next"))
                .noCompensation("a test")
                .deadline(seconds(3))
                .build());

        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("undo PT9S");
        assertThat(steps(saga)).containsEntry("next", StepStatus.PENDING);
    }

    @Test
    void what_comes_behind_the_pivot_begins_after_the_deadline_and_is_not_bound_by_it() {
        SagaInstance saga = run(define().pivot("pay")
                .action(c -> {
                    calls.add("pay " + c.remaining());
                    time.pass(seconds(2));
                })
                .timeout(seconds(2))
                .retriable("before")
                .action(c -> {
                    calls.add("before " + c.remaining());
                    time.pass(seconds(4));
                })
                .timeout(seconds(10))
                .retriable("after")
                .action(c -> calls.add("after " + c.remaining()))
                .timeout(seconds(10))
                .deadline(seconds(3))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("pay PT2S", "before PT10S", "after PT10S");
    }

    @Test
    void a_pivot_that_would_begin_after_the_deadline_does_not() {
        SagaInstance saga = run(define().step("slow")
                .action(c -> time.pass(seconds(4)))
                .compensate(c -> calls.add("undo"))
                .timeout(seconds(3))
                .pivot("pay")
                .action(c -> calls.add("pay"))
                .deadline(seconds(3))
                .build());

        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("undo");
    }

    @Test
    void a_retry_that_would_begin_after_the_deadline_does_not() {
        SagaInstance saga = run(define().step("one")
                .action(c -> always("one"))
                .compensate(c -> calls.add("undo"))
                .retry(Retry.fixed(seconds(2)).forever())
                .timeout(seconds(1))
                .deadline(seconds(3))
                .build());

        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("one", "one", "undo");
    }

    @Test
    void a_pivot_in_doubt_is_tried_again_after_the_deadline_with_all_its_time() {
        SagaInstance saga = run(define().pivot("pay")
                .action(c -> {
                    calls.add("pay " + c.remaining());
                    if (c.attempt() < 3) {
                        throw new java.io.IOException("reply lost");
                    }
                    throw new StepRejectedException("NO", "no");
                })
                .rejectionIsDefinite()
                .retry(Retry.fixed(seconds(2)).maxAttempts(5))
                .timeout(seconds(3))
                .deadline(seconds(3))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("pay PT3S", "pay PT1S", "pay PT3S");
    }
}
