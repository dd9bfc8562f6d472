package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.store.HistoryRow;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The wish to cancel a saga: mail that its owner merges at its next write. */
class CancelTest extends EngineFixture {
    private static final Retry RARELY = Retry.fixed(Duration.ofHours(2)).maxAttempts(3);

    private SagaStage<Input> oneDone() {
        return define().step("one").action(c -> calls.add("one")).compensate(c -> calls.add("undo one"));
    }

    /** Its second step waits two hours between its attempts. */
    private SagaDefinition<Input> waiting() {
        return oneDone()
                .step("two")
                .action(c -> call("two", 1))
                .compensate(c -> calls.add("undo two"))
                .retry(RARELY)
                .build();
    }

    private void untilReleased(UUID id) {
        time.runUntil(() -> row(id).owner() == null);
    }

    @Test
    void a_saga_that_waits_and_is_nobodys_is_cancelled_without_delay() { // F110
        TestNode node = node(waiting());
        UUID id = start(node);
        untilReleased(id);
        assertThat(node.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.ACCEPTED);
        SagaInstance saga = end(node, id);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("one", "two", "undo two", "undo one");
        assertThat(time.elapsed()).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void the_reason_is_in_the_history() {
        TestNode node = node(waiting());
        UUID id = start(node);
        untilReleased(id);
        node.client().cancel(id, "not wanted");
        end(node, id);
        assertThat(memory.history(id))
                .extracting(HistoryRow::entry)
                .anyMatch(entry -> entry.reason() == SagaReason.CANCELLED && "not wanted".equals(entry.errorText()));
    }

    @Test
    void an_action_that_waits_for_a_worker_is_not_called_after_the_turn() {
        TestNode node = node(waiting());
        UUID id = start(node);
        assertThat(node.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.ACCEPTED);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).isEmpty();
    }

    @Test
    void a_node_that_does_not_know_the_version_does_not_take_the_saga_that_it_cancels() throws Exception {
        TestNode owner = node(waiting());
        UUID id = memory.transactions().inTransaction(() -> {
            UUID started = start(owner);
            owner.kill();
            return started;
        });
        TestNode stranger = node(define().version(2)
                .step("x")
                .action(c -> calls.add("x"))
                .noCompensation("no")
                .build());
        assertThat(stranger.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.ACCEPTED);
        assertThat(row(id).owner()).isNull();
    }

    @Test
    void a_node_that_does_not_run_the_saga_can_cancel_it_too() {
        TestNode owner = node(waiting());
        UUID id = start(owner);
        untilReleased(id);
        TestNode stranger = node(define().version(2)
                .step("x")
                .action(c -> calls.add("x"))
                .noCompensation("no")
                .build());
        assertThat(stranger.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.ACCEPTED);
        assertThat(end(owner, id).status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void another_node_finds_the_mail_of_a_saga_that_it_holds() {
        TestNode[] other = new TestNode[1];
        UUID[] id = new UUID[1];
        TestNode owner = node(oneDone()
                .step("two")
                .action(c -> {
                    calls.add("two");
                    assertThat(other[0].client().cancel(c.sagaId(), "not wanted"))
                            .isEqualTo(CancelOutcome.ACCEPTED);
                    throw new IOException("lost reply");
                })
                .compensate(c -> calls.add("undo two"))
                .retry(Retry.fixed(Duration.ofSeconds(5)).maxAttempts(3))
                .build());
        other[0] = node(TestNode.tuning());
        id[0] = start(owner);
        assertThat(end(owner, id[0]).reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("one", "two", "undo two", "undo one");
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void the_attempt_under_way_is_awaited_to_its_end() { // F110, F115
        TestNode[] node = new TestNode[1];
        node[0] = node(oneDone()
                .step("two")
                .action(c -> {
                    calls.add("two begins");
                    assertThat(node[0].client().cancel(c.sagaId(), "not wanted"))
                            .isEqualTo(CancelOutcome.ACCEPTED);
                    time.pass(Duration.ofSeconds(3));
                    calls.add("two ends");
                })
                .compensate(c -> calls.add("undo two"))
                .step("three")
                .action(c -> calls.add("three"))
                .compensate(c -> calls.add("undo three"))
                .build());
        UUID id = start(node[0]);
        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls.subList(0, 3)).containsExactly("one", "two begins", "two ends");
        assertThat(calls).endsWith("undo two", "undo one").doesNotHaveDuplicates();
    }

    @Test
    void a_second_wish_changes_nothing() {
        TestNode node = node(waiting());
        UUID id = start(node);
        untilReleased(id);
        node.client().cancel(id, "first");
        assertThat(node.client().cancel(id, "second")).isEqualTo(CancelOutcome.ACCEPTED);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "two", "undo two", "undo one");
        assertThat(node.client().cancel(id, "third")).isEqualTo(CancelOutcome.ENDED);
    }

    @Test
    void neither_a_second_wish_nor_a_shutdown_nor_a_crash_breaks_the_undoing_off() { // F110
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = oneDone()
                .step("two")
                .action(c -> call("two", 1))
                .compensate(c -> {
                    calls.add("undo two");
                    if (c.attempt() == 1) {
                        assertThat(node[0].client().cancel(c.sagaId(), "again")).isEqualTo(CancelOutcome.ACCEPTED);
                        node[0].engine.close();
                        throw new IOException("closed");
                    }
                    if (c.attempt() == 2) {
                        throw node[0].killedHere();
                    }
                })
                .retry(RARELY)
                .compensationRetry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(4))
                .build();
        Tuning atOnce = TestNode.tuning().withPatience(Duration.ZERO, Duration.ofMinutes(1));
        node[0] = node(atOnce, definition);
        UUID id = start(node[0]);
        untilReleased(id);
        node[0].client().cancel(id, "first");
        time.runUntil(() -> calls.contains("undo two"));
        node[0] = node(atOnce, definition);
        time.runUntil(() -> !node[0].alive());
        node[0] = node(atOnce, definition);
        assertThat(node[0].client().cancel(id, "third")).isEqualTo(CancelOutcome.ACCEPTED);
        SagaInstance saga = end(node[0], id);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("one", "two", "undo two", "undo two", "undo two", "undo one");
    }

    @Test
    void after_the_pivot_it_is_too_late() {
        TestNode node = node(oneDone()
                .pivot("decide")
                .action(c -> calls.add("decide"))
                .retriable("go-on")
                .action(c -> call("go-on", 1))
                .retry(Retry.fixed(Duration.ofHours(2)).forever())
                .build());
        UUID id = start(node);
        untilReleased(id);
        assertThat(node.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.TOO_LATE);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void while_the_pivot_may_take_effect_it_is_pending_and_void_once_it_is_recorded() {
        TestNode node = node(oneDone()
                .pivot("decide")
                .action(c -> call("decide", 1))
                .retry(RARELY)
                .build());
        UUID id = start(node);
        untilReleased(id);
        assertThat(node.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.PENDING);
        SagaInstance saga = end(node, id);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "decide", "decide");
    }

    @Test
    void a_parked_saga_keeps_the_wish_until_it_is_retried() {
        TestNode node = node(oneDone()
                .pivot("decide")
                .action(c -> always("decide"))
                .retry(Retry.none())
                .build());
        UUID id = start(node);
        end(node, id);
        assertThat(node.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.PENDING);
        time.run(Duration.ofMinutes(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(memory.inspect(id).orElseThrow().mail()).hasSize(1);
    }

    @Test
    void mail_that_comes_with_the_takeover_that_parks_waits_as_well() {
        TestNode[] node = new TestNode[1];
        boolean[] deadly = {true};
        SagaDefinition<Input> definition = oneDone()
                .step("two")
                .action(c -> {
                    calls.add("two");
                    if (deadly[0]) {
                        throw node[0].killedHere();
                    }
                })
                .compensate(c -> calls.add("undo two"))
                .build();
        node[0] = node(definition);
        UUID id = start(node[0]);
        TestNode stranger = node(TestNode.tuning());
        for (int deaths = 1; deaths <= 5; deaths++) {
            time.runUntil(() -> !node[0].alive());
            if (deaths == 5) {
                stranger.client().cancel(id, "not wanted");
            }
            node[0] = node(definition);
        }
        time.runUntil(() -> row(id).status() == SagaStatus.FAILED);
        assertThat(row(id).reason()).isEqualTo(SagaReason.TAKEOVER_LIMIT);
        assertThat(memory.inspect(id).orElseThrow().mail()).hasSize(1);
        deadly[0] = false;
        SagaAdmin.of(node[0].engine).retry(id, AdminRequest.by("ann", "mended"));
        assertThat(end(node[0], id).reason()).isEqualTo(SagaReason.CANCELLED);
    }

    @Test
    void in_a_transaction_that_is_rolled_back_it_is_forgotten() {
        TestNode node = node(waiting());
        UUID id = start(node);
        untilReleased(id);
        assertThatThrownBy(() -> memory.transactions().inTransaction(() -> {
                    node.client().cancel(id, "not wanted");
                    throw new IOException("back");
                }))
                .isInstanceOf(IOException.class);
        time.run(Duration.ofMinutes(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.RUNNING);
    }

    @Test
    void a_saga_can_be_started_and_cancelled_in_one_transaction() throws Exception {
        TestNode node = node(waiting());
        UUID id = memory.transactions().inTransaction(() -> {
            UUID started = start(node);
            assertThat(node.client().cancel(started, "not wanted")).isEqualTo(CancelOutcome.ACCEPTED);
            return started;
        });
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).doesNotContain("two");
    }

    @Test
    void nobody_can_cancel_what_is_not_there() {
        assertThat(node(waiting()).client().cancel(new UUID(1, 2), "x")).isEqualTo(CancelOutcome.UNKNOWN_SAGA);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "   ", "a\u0000b", "\ud800"})
    void a_reason_is_needed(String reason) {
        TestNode node = node(waiting());
        UUID id = start(node);
        assertThatThrownBy(() -> node.client().cancel(id, reason))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-REQ-001: reason");
        assertThatThrownBy(() -> node.client().cancel(id, "x".repeat(501)))
                .hasMessageContaining("501")
                .hasMessageContaining("500");
    }
}
