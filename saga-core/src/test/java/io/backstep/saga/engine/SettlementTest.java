package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.HistoryRow;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A refund is asked for, and a webhook settles it days later. */
class SettlementTest extends EngineFixture {
    private static final Step<Answer> REFUNDED = Step.named("refunded", Answer.class);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final AdminRequest ANN = AdminRequest.by("ann", "because");

    private final TestNode[] nodes = new TestNode[1];

    private SagaDefinition<Input> refunding() {
        return refunding(() -> {});
    }

    private SagaDefinition<Input> refunding(Runnable during) {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("pay")
                .action(c -> calls.add("pay"))
                .compensate(c -> {
                    calls.add("refund");
                    during.run();
                })
                .compensationAwaits(REFUNDED, WEEK)
                .step("ship")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
    }

    private UUID waiting(TestNode node) {
        UUID id = start(node);
        time.runUntil(() -> calls.contains("refund") && row(id).owner() == null);
        return id;
    }

    private static SignalOutcome refunded(TestNode node, UUID id, String messageId) {
        return node.client().signal(id, REFUNDED, new Answer("r-1"), messageId);
    }

    private SagaDetail detail(TestNode node, UUID id) {
        return SagaAdmin.of(node.engine).find(id).orElseThrow();
    }

    @Test
    void the_saga_waits_and_holds_nothing_and_the_signal_settles_it() {
        TestNode node = node(refunding());
        UUID id = waiting(node);
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(row(id).dueAt()).isAfter(row(id).createdAt().plus(WEEK.minusHours(1)));
        assertThat(detail(node, id).why()).contains("step pay waits, at most until");
        assertThat(calls).containsExactly("one", "pay", "refund");

        time.run(Duration.ofDays(3));
        assertThat(refunded(node, id, "m1")).isEqualTo(SignalOutcome.ACCEPTED);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "pay", "refund", "undo one");
        assertThat(history(id)).contains("pay COMPENSATION 1 SUCCEEDED", "pay SETTLEMENT 1 SUCCEEDED");
        HistoryRow settled = memory.history(id).stream()
                .filter(row -> row.entry().phase() == io.backstep.saga.Phase.SETTLEMENT)
                .findFirst()
                .orElseThrow();
        assertThat(settled.entry().result()).isEqualTo("{\"text\":\"r-1\"}");
        assertThat(settled.entry().duration()).isGreaterThan(Duration.ofDays(2));
        CompensationEntry line = detail(node, id).compensations().get(0).entry();
        assertThat(line.status()).isEqualTo(CompensationEntry.Status.SUCCEEDED);
        assertThat(line.response()).isEqualTo("{\"text\":\"r-1\"}");
        assertThat(refunded(node, id, "m1")).isEqualTo(SignalOutcome.DUPLICATE);
        assertThat(refunded(node, id, "m2")).isEqualTo(SignalOutcome.TOO_LATE);
    }

    @Test
    void a_settlement_that_overtakes_the_record_of_the_call_is_kept() {
        SagaDefinition<Input> definition = refunding(() -> {
            UUID id = rows().get(0).sagaId();
            assertThat(refunded(nodes[0], id, "early")).isEqualTo(SignalOutcome.BUFFERED);
            assertThat(refunded(nodes[0], id, "early")).isIn(SignalOutcome.DUPLICATE, SignalOutcome.TOO_LATE);
        });
        nodes[0] = node(definition);
        UUID id = start(nodes[0]);

        assertThat(end(nodes[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(time.elapsed()).isLessThan(Duration.ofHours(1));
        assertThat(history(id)).contains("pay SETTLEMENT 1 SUCCEEDED");
    }

    @Test
    void a_node_that_dies_while_it_waits_changes_nothing() {
        TestNode node = node(refunding());
        UUID id = waiting(node);
        node.kill();
        TestNode other = node(refunding());
        time.run(Duration.ofHours(2));
        assertThat(calls).containsExactly("one", "pay", "refund");

        refunded(other, id, "m1");

        assertThat(end(other, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "pay", "refund", "undo one");
    }

    @Test
    void a_refund_that_is_refused_parks_the_saga_once_the_rest_is_undone() {
        TestNode node = node(refunding());
        UUID id = waiting(node);

        assertThat(node.client().signalRejected(id, REFUNDED, "CLOSED", "the account is closed", "m1"))
                .isEqualTo(SignalOutcome.ACCEPTED);

        assertThat(end(node, id).reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(calls).containsExactly("one", "pay", "refund", "undo one");
        CompensationEntry line = detail(node, id).compensations().get(0).entry();
        assertThat(line.status()).isEqualTo(CompensationEntry.Status.FAILED);
        assertThat(line.lastError()).contains("the account is closed");
        assertThat(node.alerts).anyMatch(alert -> alert.code().equals("SAGA-ALERT-002"));
    }

    @Test
    void a_refund_that_nobody_settles_parks_the_saga_and_what_comes_late_settles_it_after_a_retry() {
        TestNode node = node(refunding());
        UUID id = waiting(node);
        time.run(WEEK.plusHours(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(history(id)).contains("pay SETTLEMENT 1 TIMED_OUT");
        assertThat(detail(node, id).compensations().get(0).entry().lastError()).contains("did not come within PT168H");
        assertThat(refunded(node, id, "late")).isEqualTo(SignalOutcome.BUFFERED);

        SagaAdmin.of(node.engine).retryCompensation(id, ANN);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "pay", "refund", "undo one", "refund");
    }

    @Test
    void a_signal_for_a_saga_that_has_not_turned_is_kept_and_told_late_at_its_end() {
        SagaDefinition<Input> definition = define().step("pay")
                .action(c -> calls.add("pay"))
                .compensate(c -> calls.add("refund"))
                .compensationAwaits(REFUNDED, WEEK)
                .delay("rest", Duration.ofHours(1))
                .build();
        TestNode node = node(definition);
        UUID id = start(node);
        time.runUntil(() -> row(id).owner() == null);

        assertThat(refunded(node, id, "m1")).isEqualTo(SignalOutcome.BUFFERED);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("pay");
        assertThat(refunded(node, id, "m2")).isEqualTo(SignalOutcome.TOO_LATE);
    }

    @Test
    void what_is_sent_must_be_what_is_awaited() {
        TestNode node = node(refunding());
        UUID id = waiting(node);
        assertThatThrownBy(() -> node.client().signal(id, Step.named("refunded", String.class), "x", "m1"))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-REQ-007");
        assertThatThrownBy(() -> node.client().signal(id, Step.named("pay", Answer.class), new Answer("x"), "m1"))
                .hasMessageStartingWith("SAGA-REQ-006");
    }

    @Test
    void a_signal_has_a_name_of_its_own_and_a_compensation_that_asks_for_it() {
        assertThatThrownBy(() -> define().step("pay")
                        .action(c -> {})
                        .compensate(c -> {})
                        .compensationAwaits(Step.named("Pay", String.class), WEEK)
                        .build())
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageContaining("SAGA-DSL-044");
        assertThatThrownBy(() -> define().step("pay")
                        .action(c -> {})
                        .compensate(c -> {})
                        .compensationAwaits(REFUNDED, Duration.ZERO)
                        .build())
                .hasMessageContaining("SAGA-DSL-011");
        assertThat(refunding().fingerprint()).contains("pay COMPENSATABLE settled by refunded");
        assertThat(refunding().describe().json()).contains("\"signal\": \"refunded\"", "\"time\": \"PT168H\"");
    }
}
