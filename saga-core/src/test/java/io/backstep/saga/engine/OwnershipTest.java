package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One owner at a time: what is slow stays owned, and what is not owned any more writes nothing. */
class OwnershipTest extends EngineFixture {
    private TestNode first;
    private TestNode second;
    private UUID id;

    private SagaDefinition<Input> around(boolean transactional, Runnable inTheMiddle) {
        var stage = define().step("one");
        var action = transactional ? stage.transactional() : stage;
        return action.action(c -> {
                    calls.add("one on " + (c.epoch() == 1 ? "first" : "second"));
                    if (c.epoch() == 1) {
                        inTheMiddle.run();
                        calls.add("first owns: " + c.isOwner());
                    }
                })
                .compensate(c -> calls.add("undo one"))
                .timeout(Duration.ofMinutes(5))
                .step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_node_that_was_paused_past_its_lease_writes_nothing_and_starts_nothing(boolean transactional) { // F006
        SagaDefinition<Input> definition = around(transactional, () -> {
            first.pause();
            time.runUntil(() -> settled(id));
        });
        List<UUID> lost = new ArrayList<>();
        first = listening(
                new SagaListener() {
                    @Override
                    public void leaseLost(SagaInstance saga) {
                        lost.add(saga.sagaId());
                    }
                },
                definition);
        second = node(definition);
        id = start(first);
        List<String> before;
        try (Logs logs = new Logs()) {
            time.runUntil(() -> calls.contains("first owns: false"));
            before = history(id);
            first.resume();
            time.run(Duration.ofMinutes(1));
            assertThat(logs.of(Level.INFO))
                    .filteredOn(line -> line.contains("is not this node's any more"))
                    .singleElement()
                    .asString()
                    .contains(id.toString());
            assertThat(logs.warnings()).isEmpty();
        }
        assertThat(lost).containsExactly(id);
        assertThat(calls).containsExactly("one on first", "one on second", "two", "first owns: false");
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id)).isEqualTo(before);
        assertThat(first.engine.status().held()).isZero();
    }

    @Test
    void a_node_that_was_paused_before_its_handler_began_does_not_call_it() {
        SagaDefinition<Input> definition = around(false, () -> {});
        first = node(definition);
        id = start(first);
        first.pause();
        second = node(definition);
        time.runUntil(() -> settled(id));
        first.resume();
        time.run(Duration.ofMinutes(1));
        assertThat(calls).containsExactly("one on second", "two");
    }

    @Test
    void a_node_that_was_paused_but_not_replaced_goes_on_with_a_new_epoch() {
        SagaDefinition<Input> definition = around(false, () -> {});
        first = node(definition);
        id = start(first);
        time.pass(Duration.ofSeconds(30));
        assertThat(end(first, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(id).epoch()).isEqualTo(2);
        assertThat(history(id)).containsExactly("one ACTION 1 SUCCEEDED", "two ACTION 1 SUCCEEDED", " SAGA 0 ENDED");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_lease_is_renewed_while_a_handler_runs_longer(boolean transactional) { // F003, F017
        SagaDefinition<Input> definition = around(transactional, () -> time.run(Duration.ofSeconds(100)));
        first = node(definition);
        second = node(definition);
        id = start(first);
        end(first, id);
        assertThat(calls).containsExactly("one on first", "first owns: true", "two");
        assertThat(row(id).epoch()).isEqualTo(1);
    }

    @Test
    void a_node_that_cannot_renew_knows_that_it_does_not_own_any_more() { // F004
        List<Boolean> owned = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    store.away = true;
                    time.run(Duration.ofMillis(9_900));
                    owned.add(c.isOwner());
                    time.run(Duration.ofMillis(200));
                    owned.add(c.isOwner());
                    store.away = false;
                })
                .noCompensation("nothing")
                .build();
        first = node(definition);
        id = start(first);
        assertThat(end(first, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(owned).containsExactly(true, false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_handler_whose_lease_nobody_can_renew_is_taken_over_a_bounded_number_of_times(boolean local) { // F004
        store.renewAway = true;
        var stage = define().step("long");
        SagaDefinition<Input> definition = (local ? stage.transactional() : stage)
                .action(c -> {
                    calls.add("long " + c.epoch());
                    time.run(Duration.ofSeconds(25));
                })
                .compensate(c -> calls.add("undo long"))
                .timeout(Duration.ofHours(1))
                .build();
        first = node(definition);
        second = node(definition);
        id = start(first);
        time.run(Duration.ofMinutes(5));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(row(id).reason()).isEqualTo(SagaReason.TAKEOVER_LIMIT);
        assertThat(calls).hasSize(5).doesNotHaveDuplicates();
        assertThat(history(id)).filteredOn(line -> line.endsWith("TAKEN_OVER")).hasSizeGreaterThanOrEqualTo(4);
        assertThat(first.alerts.size() + second.alerts.size()).isEqualTo(1);
    }

    @Test
    void a_compensation_whose_lease_nobody_can_renew_is_taken_over_a_bounded_number_of_times() { // F004
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> {
                    store.renewAway = true;
                    calls.add("undo " + c.epoch());
                    time.run(Duration.ofSeconds(25));
                })
                .compensationTimeout(Duration.ofHours(1))
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
        first = node(definition);
        second = node(definition);
        id = start(first);
        time.run(Duration.ofMinutes(5));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(row(id).reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(calls).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    void a_node_that_was_paused_in_a_compensation_starts_no_other() { // F006
        List<Boolean> owned = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("zero")
                .action(c -> calls.add("zero"))
                .compensate(c -> calls.add("undo zero"))
                .step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> {
                    calls.add("undo one, epoch " + c.epoch());
                    if (c.epoch() == 1) {
                        first.pause();
                        time.runUntil(() -> settled(id));
                        owned.add(c.isOwner());
                    }
                })
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
        first = node(definition);
        second = node(definition);
        id = start(first);
        time.runUntil(() -> !owned.isEmpty());
        List<String> before = history(id);
        first.resume();
        time.run(Duration.ofMinutes(1));
        assertThat(owned).containsExactly(false);
        assertThat(calls).containsExactly("zero", "one", "undo one, epoch 1", "undo one, epoch 2", "undo zero");
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(history(id)).isEqualTo(before);
    }

    @Test
    void one_call_of_a_step_that_only_goes_forward_is_in_flight_at_any_time() { // F017
        int[] now = {0};
        SagaDefinition<Input> definition = define().pivot("decide")
                .action(c -> calls.add("decide"))
                .retriable("confirm")
                .action(c -> {
                    assertThat(++now[0]).as("in flight").isEqualTo(1);
                    time.run(Duration.ofSeconds(60));
                    now[0]--;
                    call("confirm", 2);
                })
                .timeout(Duration.ofMinutes(5))
                .build();
        Tuning often = TestNode.tuning().withLease(Duration.ofSeconds(10), Duration.ofSeconds(5));
        first = node(often, definition);
        second = node(often, definition);
        id = start(first);
        assertThat(end(first, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("decide", "confirm", "confirm", "confirm");
        assertThat(history(id))
                .containsExactly(
                        "decide ACTION 1 SUCCEEDED",
                        "confirm ACTION 1 FAILED",
                        "confirm ACTION 2 FAILED",
                        "confirm ACTION 3 SUCCEEDED",
                        " SAGA 0 ENDED");
    }

    @Test
    void two_nodes_on_one_store_record_each_step_once() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> call(c.idempotencyKey(), 1))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build();
        first = node(definition);
        second = node(definition);
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            ids.add(start(i % 2 == 0 ? first : second));
            time.run(Duration.ofMillis(37));
            if (i == 25) {
                first.kill();
                first = node(definition);
            }
        }
        time.runUntil(() -> ids.stream().allMatch(this::settled));
        for (UUID one : ids) {
            assertThat(history(one))
                    .filteredOn(line -> line.endsWith("SUCCEEDED"))
                    .hasSize(2);
            assertThat(row(one).status()).isEqualTo(SagaStatus.COMPLETED);
        }
    }

    @Test
    void a_live_lease_is_not_taken_by_a_node_that_starts() { // F001, F016
        SagaDefinition<Input> definition = around(false, () -> {
            second = node(around(false, () -> {}));
            time.run(Duration.ofSeconds(20));
        });
        first = node(definition);
        id = start(first);
        end(first, id);
        assertThat(calls).containsExactly("one on first", "first owns: true", "two");
    }
}
