package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that fails in every way a database can. */
class StoreFaultTest extends EngineFixture {
    private SagaDefinition<Input> definition() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .step("three")
                .action(c -> calls.add("three"))
                .compensate(c -> calls.add("undo three"))
                .build();
    }

    private void checkWhole(SagaInstance saga) {
        assertThat(store.exhausted()).isTrue();
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two", "three");
        assertThat(history(saga.sagaId()))
                .containsExactly(
                        "one ACTION 1 SUCCEEDED",
                        "two ACTION 1 SUCCEEDED",
                        "three ACTION 1 SUCCEEDED",
                        " SAGA 0 ENDED");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "THROWN", "ROW_LOCKED"})
    void a_failed_write_is_written_again_and_no_handler_is_called_again(Fault fault) { // F022, F3, F4
        TestNode node = node(definition());
        store.next(Call.SUBMIT, fault, fault);
        checkWhole(end(node, start(node)));
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void the_last_write_may_be_in_doubt(int index) {
        TestNode node = node(definition());
        store.next(Call.SUBMIT, index == 1 ? Fault.APPLIED_IN_DOUBT : Fault.NONE, Fault.APPLIED_IN_DOUBT);
        checkWhole(end(node, start(node)));
        time.run(Duration.ofMinutes(1));
        assertThat(node.engine.status().held()).isZero();
    }

    @Test
    void recovery_may_fail_too_and_is_tried_until_it_answers() {
        TestNode node = node(definition());
        store.next(Call.SUBMIT, Fault.APPLIED_IN_DOUBT, Fault.LOST_IN_DOUBT);
        store.next(
                Call.RECOVER,
                Fault.REFUSED_CONNECTION,
                Fault.LOST_IN_DOUBT,
                Fault.APPLIED_IN_DOUBT,
                Fault.REFUSED_CONNECTION);
        SagaInstance saga = end(node, start(node));
        time.run(Duration.ofMinutes(1));
        assertThat(store.exhausted()).isTrue();
        assertThat(node.client().find(saga.sagaId()).orElseThrow().status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).startsWith("one", "two").endsWith("three");
        assertThat(history(saga.sagaId()))
                .filteredOn(line -> line.contains("SUCCEEDED"))
                .hasSize(3);
    }

    @Test
    void a_store_that_throws_out_of_recover_does_not_strand_the_saga() {
        TestNode node = node(definition());
        store.next(Call.SUBMIT, Fault.LOST_IN_DOUBT);
        store.next(Call.RECOVER, Fault.THROWN);
        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"REFUSED_CONNECTION", "LOST_IN_DOUBT", "THROWN"})
    void a_failed_claim_is_tried_again(Fault fault) { // F002
        store.next(Call.CLAIM, fault, fault, fault);
        TestNode first = node(definition());
        UUID id = start(first);
        first.kill();
        store.next(Call.CLAIM, fault, fault, fault);
        TestNode second = node(definition());
        assertThat(end(second, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two", "three");
        assertThat(history(id)).first().isEqualTo("one ACTION 1 TAKEN_OVER");
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(16));
    }

    @Test
    void a_claim_in_doubt_is_taken_again_when_its_lease_is_over() {
        TestNode first = node(definition());
        UUID id = start(first);
        first.kill();
        TestNode second = node(definition());
        time.run(Duration.ofMillis(9_500));
        store.next(Call.CLAIM, Fault.APPLIED_IN_DOUBT);
        assertThat(end(second, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "THROWN"})
    void a_failed_renewal_is_tried_again_within_the_lease(Fault fault) {
        store.next(Call.RENEW, fault, Fault.NONE, fault);
        TestNode node = node(define().step("long")
                .action(c -> {
                    calls.add("long");
                    time.run(Duration.ofSeconds(60));
                    assertThat(c.isOwner()).isTrue();
                })
                .noCompensation("nothing")
                .timeout(Duration.ofMinutes(2))
                .build());
        node(define().step("long")
                .action(c -> calls.add("again"))
                .noCompensation("nothing")
                .build());
        SagaInstance saga = end(node, start(node));
        assertThat(history(saga.sagaId())).containsExactly("long ACTION 1 SUCCEEDED", " SAGA 0 ENDED");
        assertThat(calls).containsExactly("long");
    }

    @Test
    void a_transaction_in_doubt_that_was_committed_counts_once() {
        TestNode node = node(definition());
        store.next(Call.TRANSACTION, Fault.APPLIED_IN_DOUBT);
        checkWhole(end(node, start(node)));
    }

    @Test
    void a_transaction_in_doubt_that_was_not_committed_counts_as_one_failure() {
        TestNode node = node(definition());
        store.next(Call.TRANSACTION, Fault.LOST_IN_DOUBT);
        SagaInstance saga = end(node, start(node));
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two", "two", "three");
        assertThat(history(saga.sagaId())).contains("two ACTION 1 FAILED", "two ACTION 2 SUCCEEDED");
    }

    @Test
    void a_transaction_that_cannot_begin_spends_no_attempt() {
        SagaDefinition<Input> definition = define().step("one")
                .transactional()
                .action(c -> calls.add("one " + c.attempt()))
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.none())
                .build();
        TestNode node = node(definition);
        store.next(Call.TRANSACTION, Fault.REFUSED_CONNECTION, Fault.REFUSED_CONNECTION, Fault.REFUSED_CONNECTION);
        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one 1");
    }

    @Test
    void a_store_that_throws_out_of_a_transaction_does_not_strand_the_saga() {
        TestNode node = node(definition());
        store.next(Call.TRANSACTION, Fault.THROWN);
        SagaInstance saga = end(node, start(node));
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void a_transaction_whose_row_is_locked_is_repeated_and_spends_nothing() { // X7
        TestNode node = node(definition());
        store.next(Call.TRANSACTION, Fault.ROW_LOCKED, Fault.ROW_LOCKED);
        SagaInstance saga = end(node, start(node));
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(saga.sagaId()).epoch()).isEqualTo(1);
        assertThat(history(saga.sagaId())).contains("two ACTION 1 SUCCEEDED").hasSize(4);
    }

    @Test
    void a_transaction_whose_record_is_refused_parks_its_saga() {
        TestNode node = node(definition());
        store.next(Call.TRANSACTION, Fault.ROW_REFUSED);
        SagaInstance saga = end(node, start(node));
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.UNREADABLE);
        assertThat(calls).containsExactly("one", "two");
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void a_transaction_that_waits_for_the_store_is_called_off_when_the_node_stops() {
        TestNode node = node(TestNode.tuning().withPatience(Duration.ZERO, Duration.ofSeconds(60)), definition());
        UUID id = start(node);
        store.next(Call.TRANSACTION, Fault.REFUSED_CONNECTION, Fault.REFUSED_CONNECTION);
        time.run(Duration.ofMillis(500));
        node.engine.close();
        assertThat(row(id).owner()).isNull();
        assertThat(row(id).dueAt()).isEqualTo(time.now());
        time.run(Duration.ofSeconds(5));
        assertThat(calls).containsExactly("one");
        assertThat(end(node(definition()), id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_user_code_throws_in_a_transaction_is_its_failure_however_the_store_wraps_it(boolean unknown) {
        SagaDefinition<Input> definition = define().step("one")
                .transactional()
                .action(c -> {
                    calls.add("one");
                    throw new SQLException("constraint violated");
                })
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build();
        store.wrapping = unknown ? Effect.UNKNOWN : Effect.NONE;
        TestNode node = node(definition);
        SagaInstance saga = end(node, start(node));
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "one");
        assertThat(memory.history(saga.sagaId()).get(0).entry().errorCode()).isEqualTo("java.sql.SQLException");
    }

    @Test
    void a_deadlock_after_the_lease_has_run_out_is_rerun_only_by_who_has_the_saga_then() {
        List<Long> epochs = new ArrayList<>();
        SagaInstance saga = run(define().step("one")
                .transactional()
                .action(c -> {
                    epochs.add(c.epoch());
                    if (epochs.size() == 1) {
                        time.pass(Duration.ofSeconds(11));
                        throw new SagaStoreException("SAGA-DB-902", "deadlock", Effect.NONE, null);
                    }
                })
                .noCompensation("no")
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(epochs).containsExactly(1L, 2L);
    }

    @Test
    void a_deadlock_is_rerun_a_few_times_and_then_counts_as_one_failure() {
        SagaDefinition<Input> definition = define().step("one")
                .transactional()
                .action(c -> {
                    calls.add("one " + c.attempt());
                    throw new SagaStoreException("SAGA-DB-902", "deadlock", Effect.NONE, null);
                })
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.none())
                .build();
        SagaInstance saga = run(definition);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).hasSize(6).containsOnly("one 1");
        assertThat(history(saga.sagaId())).first().isEqualTo("one ACTION 1 FAILED");
    }

    @Test
    void a_locked_row_delays_only_its_saga() { // X7
        TestNode node = node(definition());
        UUID id = start(node);
        List<UUID> others = new ArrayList<>();
        memory.whileLocked(id, () -> {
            for (int i = 0; i < 10; i++) {
                others.add(start(node));
            }
            time.runUntil(() -> others.stream().allMatch(this::settled));
            time.run(Duration.ofSeconds(5));
            assertThat(settled(id)).isFalse();
        });
        calls.clear();
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("two", "three");
    }

    @Test
    void a_refused_row_parks_that_saga_only() {
        TestNode node = node(definition());
        UUID good = start(node);
        UUID bad = start(node);
        UUID alsoGood = start(node);
        time.runUntil(() -> calls.contains("two"));
        store.next(Call.SUBMIT, Fault.ROW_REFUSED);
        time.runUntil(() -> settled(good) && settled(bad) && settled(alsoGood));
        List<SagaStatus> all =
                List.of(row(good).status(), row(bad).status(), row(alsoGood).status());
        assertThat(all).containsExactlyInAnyOrder(SagaStatus.COMPLETED, SagaStatus.COMPLETED, SagaStatus.FAILED);
        assertThat(node.alerts).hasSize(1);
        assertThat(node.alerts.get(0).reason()).isEqualTo(SagaReason.UNREADABLE);
    }

    @Test
    void a_row_that_is_refused_whatever_is_written_does_not_spin() {
        TestNode node = node(definition());
        UUID good = start(node);
        UUID bad = start(node);
        store.refused = bad;
        time.runUntil(() -> settled(good));
        time.run(Duration.ofSeconds(60));
        assertThat(store.count(Call.SUBMIT)).isLessThan(100);
        assertThat(settled(bad)).isFalse();
    }

    @Test
    void after_ten_minutes_without_a_store_everything_goes_on() { // F002, F134, F164
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> call("one " + c.sagaId(), 1))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> calls.add("two " + c.sagaId()))
                .compensate(c -> calls.add("undo two"))
                .step("three")
                .action(c -> {
                    calls.add("three");
                    if (c.input().text().isEmpty()) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .compensate(c -> calls.add("undo three"))
                .build();
        TestNode node = node(definition);
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            ids.add(node.client().start(TYPE, new Input(i % 2 == 0 ? "" : "x")).sagaId());
            time.run(Duration.ofMillis(10));
        }
        time.run(Duration.ofMillis(50));
        store.away = true;
        time.run(Duration.ofMinutes(10));
        assertThat(node.engine.status().storeReachable()).isFalse();
        store.away = false;
        time.run(Duration.ofSeconds(30));
        assertThat(ids).allMatch(this::settled);
        assertThat(ids)
                .filteredOn(id -> row(id).status() == SagaStatus.COMPLETED)
                .hasSize(15);
        assertThat(node.engine.status().storeReachable()).isTrue();
        assertThat(calls).filteredOn(call -> call.startsWith("two ")).hasSize(30);
    }
}
