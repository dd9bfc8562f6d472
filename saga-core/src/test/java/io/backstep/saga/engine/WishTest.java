package io.backstep.saga.engine;

import static io.backstep.saga.admin.AdminAction.CANCEL;
import static io.backstep.saga.admin.AdminAction.COMPENSATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A wish to turn, just before the pivot: a pivot that was not intended before the wish does not begin after it. */
class WishTest extends EngineFixture {
    private static final AdminRequest ANN = AdminRequest.by("ann", "because");
    private static final Tuning AT_ONCE = TestNode.tuning().withPatience(Duration.ZERO, Duration.ofSeconds(60));
    private static final Step<String> TEXT = Step.named("text", String.class);

    private static SagaAdmin admin(TestNode node) {
        return SagaAdmin.of(node.engine);
    }

    private SagaStage<Input> deciding(SagaStage<Input> saga) {
        return saga.pivot("decide").action(c -> calls.add("decide")).retry(Retry.none());
    }

    /** Closes its first node in the first step. */
    private SagaDefinition<Input> closing(TestNode[] node) {
        return deciding(define().step("one")
                        .action(c -> {
                            calls.add("one");
                            node[0].engine.close();
                        })
                        .compensate(c -> calls.add("undo one")))
                .build();
    }

    @ParameterizedTest
    @EnumSource(names = {"CANCEL", "COMPENSATE"})
    void an_operators_wish_comes_before_a_pivot_that_nobody_has_intended(AdminAction action) {
        TestNode[] node = new TestNode[1];
        node[0] = node(AT_ONCE, closing(node));
        UUID id = start(node[0]);
        time.runUntil(() -> row(id).owner() == null);
        assertThat(admin(node[0]).act(action, id, ANN).pending()).isFalse();
        assertThat(end(node(closing(node)), id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @Test
    void mail_comes_before_a_pivot_that_nobody_has_intended() {
        TestNode[] node = new TestNode[1];
        node[0] = node(AT_ONCE, closing(node));
        UUID id = start(node[0]);
        time.runUntil(() -> row(id).owner() == null);
        assertThat(node[0].client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.ACCEPTED);
        assertThat(end(node(closing(node)), id).reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @Test
    void a_parked_saga_whose_pivot_comes_next_can_be_compensated() {
        TestNode node = node(deciding(define().step(TEXT)
                        .action(c -> {
                            calls.add("text");
                            return "x".repeat(2 << 20);
                        })
                        .compensate((c, text) -> calls.add("undo text")))
                .build());
        UUID id = start(node);
        assertThat(end(node, id).reason()).isEqualTo(SagaReason.RESULT_TOO_LARGE);
        assertThat(admin(node).find(id).orElseThrow().allowed()).contains(COMPENSATE, CANCEL);
        admin(node).compensate(id, ANN);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("text", "undo text");
    }

    @Test
    void a_wish_that_comes_during_a_transactional_step_comes_before_the_pivot() {
        TestNode[] node = new TestNode[1];
        node[0] = node(deciding(define().step("one")
                        .transactional()
                        .action(c -> {
                            calls.add("one");
                            cancelElsewhere(node[0], c.sagaId());
                        })
                        .compensate(c -> calls.add("undo one")))
                .build());
        UUID id = start(node[0]);
        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @Test
    void a_wish_does_not_wait_for_all_transactional_steps() {
        TestNode[] node = new TestNode[1];
        node[0] = node(define().step("one")
                .transactional()
                .action(c -> {
                    calls.add("one");
                    cancelElsewhere(node[0], c.sagaId());
                })
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build());
        UUID id = start(node[0]);
        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
    }

    @Test
    void what_was_taken_back_for_mail_that_changes_nothing_goes_on() {
        TestNode[] node = new TestNode[1];
        node[0] = node(define().pivot("decide")
                .transactional()
                .action(c -> {
                    calls.add("decide");
                    cancelElsewhere(node[0], c.sagaId());
                })
                .retry(Retry.none())
                .retriable("late")
                .action(c -> calls.add("late"))
                .build());
        UUID id = start(node[0]);
        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("decide", "late");
        assertThat(history(id))
                .containsExactly("decide ACTION 1 SUCCEEDED", "late ACTION 1 SUCCEEDED", " SAGA 0 ENDED");
        assertThat(memory.inspect(id).orElseThrow().mail()).isEmpty();
    }

    /** Outside the transaction that the step runs in. */
    private static void cancelElsewhere(TestNode node, UUID id) throws InterruptedException {
        Thread elsewhere = new Thread(() -> node.client().cancel(id, "not wanted"));
        elsewhere.start();
        elsewhere.join();
    }

    @Test
    void a_pivot_that_may_have_taken_effect_is_not_overtaken_by_an_operator() {
        TestNode node = node(define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .pivot("decide")
                .action(c -> call("decide", 1))
                .retry(Retry.none())
                .build());
        UUID id = start(node);
        assertThat(end(node, id).reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThatThrownBy(() -> admin(node).compensate(id, ANN)).hasMessageContaining("may have taken effect");
        admin(node).retry(id, ANN);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }
}
