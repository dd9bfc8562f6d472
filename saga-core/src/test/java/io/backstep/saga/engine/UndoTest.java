package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.backstep.saga.Alert;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.VoidAction;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.CompensationEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compensations that fail. */
class UndoTest extends EngineFixture {
    private static final Retry THREE = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3);

    /** Steps one and three can be undone; two has this compensation; four says no. */
    private SagaStage<Input> withUndoOfTwo(VoidAction<Input> undo) {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step(FIRST)
                .action(c -> new Answer("a"))
                .compensate((c, answer) -> undo.run(c))
                .compensationRetry(THREE)
                .step("three")
                .action(c -> calls.add("three"))
                .compensate(c -> calls.add("undo three"))
                .step("four")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo four"));
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new IOException("checked"),
                new IllegalStateException("unchecked"),
                new NullPointerException(),
                new ClassNotFoundException("gone"),
                new AssertionError("error"),
                new OutOfMemoryError("pretended"),
                new NoClassDefFoundError("gone"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void a_compensation_that_always_fails_is_called_exactly_as_often_as_allowed(Throwable failure) { // F105, F120, F122
        TestNode node = node(withUndoOfTwo(c -> {
                    calls.add("undo first");
                    sneak(failure);
                })
                .build());
        SagaInstance saga = end(node, start(node));
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(calls)
                .containsExactly("one", "three", "undo three", "undo first", "undo first", "undo first", "undo one");
        assertThat(steps(saga))
                .containsEntry("first", StepStatus.COMPENSATION_FAILED)
                .containsEntry("one", StepStatus.COMPENSATED);
        assertThat(node.alerts)
                .extracting(Alert::code, Alert::step, Alert::reason)
                .containsExactly(
                        tuple("SAGA-ALERT-002", "first", null),
                        tuple("SAGA-ALERT-001", null, SagaReason.COMPENSATION_EXHAUSTED));
        assertThat(row(saga.sagaId()).dueAt()).isNull();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    void the_compensation_log_tells_how_it_went() {
        UUID id = run(withUndoOfTwo(c -> always("undo first")).build()).sagaId();
        List<CompensationEntry> log =
                memory.compensations(id).stream().map(row -> row.entry()).toList();
        assertThat(log)
                .extracting(
                        CompensationEntry::step,
                        CompensationEntry::position,
                        CompensationEntry::status,
                        CompensationEntry::retryCount)
                .containsExactly(
                        tuple("three", 1, CompensationEntry.Status.SUCCEEDED, 0),
                        tuple("first", 2, CompensationEntry.Status.FAILED, 2),
                        tuple("one", 3, CompensationEntry.Status.SUCCEEDED, 0));
        assertThat(log.get(1).request()).isEqualTo("{\"text\":\"a\"}");
        assertThat(log.get(1).lastError()).isEqualTo("java.io.IOException: undo first is away");
    }

    @Test
    void while_a_compensation_waits_the_log_says_when_it_goes_on_and_why() {
        TestNode node = node(withUndoOfTwo(c -> call("undo first", 2)).build());
        UUID id = start(node);
        time.runUntil(() -> calls.contains("undo first"));
        CompensationEntry waiting = memory.compensations(id).get(1).entry();
        assertThat(waiting.status()).isEqualTo(CompensationEntry.Status.WAITING);
        assertThat(waiting.lastError()).isEqualTo("java.io.IOException: undo first is away");
        assertThat(memory.compensations(id).get(1).nextRetryAt())
                .isAfterOrEqualTo(time.now().plus(Duration.ofSeconds(1)));
        end(node, id);
        CompensationEntry done = memory.compensations(id).get(1).entry();
        assertThat(done.status()).isEqualTo(CompensationEntry.Status.SUCCEEDED);
        assertThat(done.retryCount()).isEqualTo(2);
        assertThat(memory.compensations(id).get(1).nextRetryAt()).isNull();
    }

    @Test
    void a_crash_does_not_give_a_compensation_new_attempts() { // F120
        TestNode first = node(withUndoOfTwo(c -> always("undo first")).build());
        UUID id = start(first);
        time.runUntil(() -> calls.stream().filter("undo first"::equals).count() == 2);
        first.kill();
        TestNode second = node(withUndoOfTwo(c -> always("undo first")).build());
        end(second, id);
        assertThat(calls).filteredOn("undo first"::equals).hasSize(3);
        assertThat(second.alerts).hasSize(2);
    }

    @Test
    void a_rejected_compensation_is_failed_at_once() {
        SagaInstance saga = run(withUndoOfTwo(c -> {
                    calls.add("undo first");
                    throw new StepRejectedException("GONE", "no such thing");
                })
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(calls).containsExactly("one", "three", "undo three", "undo first", "undo one");
        CompensationEntry failed = memory.compensations(saga.sagaId()).get(1).entry();
        assertThat(failed.status()).isEqualTo(CompensationEntry.Status.FAILED);
        assertThat(failed.retryCount()).isZero();
    }

    @Test
    void strict_compensation_stops_at_the_first_that_cannot_be_undone() {
        SagaInstance saga = run(
                withUndoOfTwo(c -> always("undo first")).strictCompensation().build());
        assertThat(saga.reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(calls).containsExactly("one", "three", "undo three", "undo first", "undo first", "undo first");
        assertThat(memory.compensations(saga.sagaId()))
                .extracting(row -> row.entry().status())
                .containsExactly(
                        CompensationEntry.Status.SUCCEEDED,
                        CompensationEntry.Status.FAILED,
                        CompensationEntry.Status.PENDING);
    }

    @Test
    void a_compensation_runs_once_with_the_result_of_the_attempt_that_succeeded() { // F107
        run(define().step(FIRST)
                .action(c -> {
                    call("first", 2);
                    return new Answer("attempt " + c.attempt());
                })
                .compensate(
                        (c, answer) -> calls.add("undo " + answer.orElseThrow().text()))
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo two"))
                .build());
        assertThat(calls).containsExactly("first", "first", "first", "undo attempt 3");
    }

    @Test
    void a_transactional_compensation_is_recorded_with_its_effect_and_called_once() {
        SagaInstance saga = run(define().step("one")
                .transactional()
                .action(c -> calls.add("one"))
                .compensate(c -> {
                    assertThat(memory.transactions().isActive()).isTrue();
                    calls.add("undo one");
                })
                .step("two")
                .action(c -> {
                    assertThat(memory.transactions().isActive()).isFalse();
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo two"))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "DEADLOCK"})
    void the_compensation_of_a_remote_step_may_be_one_transaction_with_its_record(Fault fault) {
        TestNode node = node(define().step("one")
                .action(c -> calls.add("one " + memory.transactions().isActive()))
                .compensate(c -> calls.add("undo one " + memory.transactions().isActive()))
                .compensationTransactional(true)
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo two"))
                .build());
        store.next(Call.TRANSACTION, fault);
        SagaInstance saga = end(node, start(node));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).startsWith("one false").endsWith("undo one true").doesNotContain("undo one false");
        assertThat(calls).as("committed once, whatever was rolled back").hasSize(fault == Fault.LOST_IN_DOUBT ? 3 : 2);
        assertThat(history(saga.sagaId()))
                .filteredOn(line -> line.startsWith("one COMPENSATION") && line.endsWith("SUCCEEDED"))
                .hasSize(1);
    }

    @Test
    void the_compensation_of_a_transactional_step_may_have_no_transaction() {
        SagaInstance saga = run(define().step("one")
                .transactional()
                .action(c -> calls.add("one " + memory.transactions().isActive()))
                .compensate(c -> call("undo one " + memory.transactions().isActive(), 1))
                .compensationTransactional(false)
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo two"))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one true", "undo one false", "undo one false");
        assertThat(store.count(Call.TRANSACTION)).as("that of the action").isEqualTo(1);
    }
}
