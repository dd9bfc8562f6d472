package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.VoidAction;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that take too long. */
class TimeoutTest extends EngineFixture {
    @AfterEach
    void no_interrupt_is_left() {
        assertThat(Thread.interrupted()).isFalse();
    }

    private SagaDefinition<Input> slow(VoidAction<Input> action) {
        return define().step("slow")
                .action(action)
                .compensate(c -> calls.add("undo slow"))
                .timeout(Duration.ofSeconds(5))
                .retry(Retry.none())
                .step("next")
                .action(c -> calls.add("next"))
                .compensate(c -> calls.add("undo next"))
                .build();
    }

    @Test
    void a_call_is_interrupted_when_its_time_is_up() {
        SagaInstance saga = run(slow(c -> {
            time.run(Duration.ofMillis(4_999));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(c.remaining()).isEqualTo(Duration.ofMillis(1));
            time.run(Duration.ofMillis(1));
            calls.add("interrupted " + Thread.currentThread().isInterrupted() + ", left " + c.remaining());
            throw new InterruptedException();
        }));
        assertThat(calls).containsExactly("interrupted true, left PT0S", "undo slow");
        assertThat(history(saga.sagaId())).startsWith("slow ACTION 1 TIMED_OUT");
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
    }

    @Test
    void a_success_after_the_timeout_counts() { // F103
        SagaInstance saga = run(slow(c -> {
            time.run(Duration.ofSeconds(50));
            calls.add("slow");
        }));
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("slow", "next");
    }

    @Test
    void the_undo_waits_for_the_real_end_of_the_call() { // F103
        run(slow(c -> {
            time.run(Duration.ofSeconds(50));
            calls.add("slow");
            throw new IllegalStateException("too late");
        }));
        assertThat(calls).containsExactly("slow", "undo slow");
    }

    @Test
    void a_remote_call_that_never_ends_is_abandoned_and_its_late_result_refused() { // F179
        SagaDefinition<Input> definition = slow(c -> {
            time.run(Duration.ofMinutes(10));
            calls.add("ends at last");
        });
        TestNode node = node(TestNode.tuning().withWorkerThreads(1), definition);
        UUID id = start(node);
        time.runUntil(() -> calls.contains("ends at last"));
        time.run(Duration.ofSeconds(5));
        assertThat(calls).as("the only worker was replaced").containsExactly("undo slow", "ends at last");
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(history(id))
                .containsExactly(
                        "slow ACTION 1 ABANDONED", " SAGA 0 TURNED", "slow COMPENSATION 1 SUCCEEDED", " SAGA 0 ENDED");
        assertThat(memory.history(id).get(0).entry().duration()).isEqualTo(Duration.ofSeconds(65));
    }

    @Test
    void an_abandoned_transaction_is_fenced_and_rolled_back() {
        SagaDefinition<Input> definition = define().step("slow")
                .transactional()
                .action(c -> {
                    memory.transactions().afterCommit(() -> calls.add("committed " + c.attempt()));
                    if (c.attempt() == 1) {
                        time.run(Duration.ofMinutes(10));
                        calls.add("ends at last");
                    }
                })
                .compensate(c -> calls.add("undo slow"))
                .timeout(Duration.ofSeconds(5))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build();
        TestNode node = node(definition);
        UUID id = start(node);
        time.runUntil(() -> calls.contains("ends at last"));
        time.run(Duration.ofSeconds(5));
        assertThat(calls).containsExactly("committed 2", "ends at last");
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id)).containsExactly("slow ACTION 1 ABANDONED", "slow ACTION 2 SUCCEEDED", " SAGA 0 ENDED");
    }

    @Test
    void a_transaction_that_was_timed_out_but_committed_counts() {
        SagaInstance saga = run(define().step("slow")
                .transactional()
                .action(c -> time.run(Duration.ofSeconds(50)))
                .compensate(c -> calls.add("undo slow"))
                .timeout(Duration.ofSeconds(5))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(saga.sagaId())).containsExactly("slow ACTION 1 SUCCEEDED", " SAGA 0 ENDED");
    }

    @Test
    void a_compensation_has_its_own_timeout() { // F105
        SagaInstance saga = run(define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> {
                    time.run(Duration.ofSeconds(3));
                    calls.add("undo one " + Thread.currentThread().isInterrupted());
                    throw new InterruptedException();
                })
                .timeout(Duration.ofSeconds(1))
                .compensationTimeout(Duration.ofSeconds(2))
                .compensationRetry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .step("two")
                .action(c -> {
                    throw new IllegalStateException();
                })
                .noCompensation("nothing")
                .retry(Retry.none())
                .build());
        assertThat(calls).containsExactly("one", "undo one true", "undo one true");
        assertThat(steps(saga)).containsEntry("one", StepStatus.COMPENSATION_FAILED);
    }

    @Test
    void an_interrupt_that_user_code_leaves_behind_is_told_and_disturbs_nothing() { // D23
        Logs logs = new Logs();
        SagaInstance saga = run(define().step("one")
                .action(c -> {
                    Thread.currentThread().interrupt();
                    calls.add("one");
                })
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> {
                    calls.add("two " + Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                })
                .compensate(c -> calls.add("undo two"))
                .step("three")
                .action(c -> calls.add("three " + Thread.currentThread().isInterrupted()))
                .compensate(c -> calls.add("undo three"))
                .build());
        logs.close();
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two false", "three false");
        assertThat(logs.warnings()).containsExactly(leftInterrupted(saga, "one"), leftInterrupted(saga, "two"));
    }

    private static String leftInterrupted(SagaInstance saga, String step) {
        return "SAGA-STEP-002: saga " + saga.sagaId() + " step " + step
                + " left its thread interrupted; the interrupt is taken away";
    }

    @ParameterizedTest // D23
    @EnumSource(names = {"CONDITION", "ACTION", "PROBE", "COMPENSATION"})
    void a_transaction_that_user_code_leaves_open_is_found_and_ended(Phase phase) {
        FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
        SagaDefinition<Input> definition = define().step(FIRST)
                .onlyIf(c -> {
                    leave(transactions, phase == Phase.CONDITION);
                    return true;
                })
                .action(c -> {
                    leave(transactions, phase == Phase.ACTION);
                    if (phase == Phase.PROBE) {
                        call("one", 1);
                    }
                    return new Answer("a");
                })
                .probe(c -> {
                    leave(transactions, phase == Phase.PROBE);
                    return Optional.of(new Answer("found"));
                })
                .compensate((c, answer) -> leave(transactions, phase == Phase.COMPENSATION))
                .step("two")
                .action(c -> {
                    calls.add("two " + transactions.isActive());
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("nothing")
                .build();
        TestNode node = new TestNode(time, store, transactions, TestNode.tuning(), definition).started();
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).contains("two false");
        assertThat(memory.history(id))
                .filteredOn(row -> "SAGA-DB-007".equals(row.entry().errorCode()))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.entry().phase()).isEqualTo(phase);
                    boolean asks = phase == Phase.CONDITION || phase == Phase.PROBE;
                    assertThat(row.entry().outcome()).isEqualTo(asks ? Outcome.FAILED : Outcome.ESCAPED);
                });
        assertThat(transactions.isActive()).isFalse();
    }

    @Test // D23
    void a_transaction_that_a_confirm_leaves_open_is_found_and_the_confirm_is_repeated() {
        FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
        SagaDefinition<Input> definition = define().tcc("one")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> {
                    leave(transactions, true);
                    calls.add("confirm " + transactions.isActive());
                })
                .cancel(c -> calls.add("cancel"))
                .build();
        TestNode node = new TestNode(time, store, transactions, TestNode.tuning(), definition).started();
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("try", "left", "confirm false");
        assertThat(memory.history(id))
                .filteredOn(row -> "SAGA-DB-007".equals(row.entry().errorCode()))
                .extracting(row -> row.entry().phase() + " " + row.entry().outcome())
                .containsExactly("CONFIRM ESCAPED");
    }

    @Test // D23
    void a_condition_that_leaves_a_transaction_open_is_no_call_of_its_step() {
        FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .pivot("two")
                .onlyIf(c -> {
                    transactions.leaveOpen();
                    return true;
                })
                .action(c -> calls.add("two"))
                .retry(Retry.none())
                .build();
        TestNode node = new TestNode(time, store, transactions, TestNode.tuning(), definition).started();
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @Test // D23
    void a_thread_that_cannot_be_freed_of_a_transaction_is_used_for_no_step() {
        FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
        transactions.stuck(true);
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> leave(transactions, true))
                .compensate(c -> calls.add("undo one " + transactions.isActive()))
                .compensationRetry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(3))
                .retry(Retry.none())
                .build();
        TestNode node = new TestNode(time, store, transactions, TestNode.tuning(), definition).started();
        UUID id = start(node);
        time.run(Duration.ofSeconds(30));
        assertThat(calls).containsExactly("left");
        transactions.stuck(false);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("left", "undo one false");
        assertThat(memory.history(id))
                .filteredOn(row -> "SAGA-DB-007".equals(row.entry().errorCode()))
                .extracting(row -> row.entry().phase() + " " + row.entry().outcome())
                .containsExactly("ACTION ESCAPED", "COMPENSATION ESCAPED");
    }

    /** The first time, if at all; and fails besides, which counts for less. */
    private void leave(FaultyTransactions transactions, boolean here) {
        if (here && !calls.contains("left")) {
            calls.add("left");
            transactions.leaveOpen();
            throw new StepRejectedException("NO", "not heard");
        }
    }
}
