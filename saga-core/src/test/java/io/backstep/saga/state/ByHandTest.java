package io.backstep.saga.state;

import static io.backstep.saga.Resolution.COMPENSATED;
import static io.backstep.saga.Resolution.REJECTED;
import static io.backstep.saga.Resolution.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What an operator says came of a step. */
class ByHandTest {
    private final Walk order = new Walk(Sagas.order(), Duration.ofMinutes(1));

    private Walk unknownPivot() {
        return order.does("a", "b").isSpent("pivot");
    }

    @Test
    void a_pivot_that_took_effect_lets_the_saga_go_on() {
        assertThat(unknownPivot().state().reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(order.resolutions("pivot")).containsExactly(SUCCEEDED, REJECTED);

        order.resolved("pivot", SUCCEEDED);

        assertThat(order.facts())
                .containsExactly("SAGA RESUMED", "ACTION pivot 0 SUCCEEDED")
                .doesNotHaveDuplicates();
        assertThat(order.calls()).containsExactly("ACTION ship 1");
        assertThat(order.step("pivot").completed()).isEqualTo(3);
        assertThat(order.state().deadline()).isNull();
        assertThat(order.does("ship", "mail").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_pivot_that_had_no_effect_turns_the_saga() {
        unknownPivot().resolved("pivot", REJECTED);

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(order.state().turned()).isEqualTo(SagaReason.REJECTED);
        assertThat(order.stepStatus("pivot")).isEqualTo(StepStatus.REJECTED);
        assertThat(order.calls()).containsExactly("COMPENSATION b 1");
        assertThat(order.undoes("b", "a").status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void what_comes_after_the_pivot_can_only_have_succeeded() {
        order.does("a", "b", "pivot").rejects("ship");
        assertThat(order.state().reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        assertThat(order.resolutions("ship")).containsExactly(SUCCEEDED);

        assertThat(order.resolved("ship", REJECTED).facts()).isEmpty();
        assertThat(order.resolved("ship", SUCCEEDED).calls()).containsExactly("ACTION mail 1");
    }

    @Test
    void what_has_not_begun_is_settled_or_has_ended_takes_nothing() {
        unknownPivot();
        assertThat(order.resolutions("ship")).isEmpty();
        assertThat(order.resolutions("a")).isEmpty();
        assertThat(order.resolved("a", COMPENSATED).facts()).isEmpty();
        assertThat(order.status()).isEqualTo(SagaStatus.FAILED);

        order.forceCompleted();
        assertThat(order.resolutions("pivot")).isEmpty();
        assertThat(order.resolved("pivot", SUCCEEDED).facts()).isEmpty();
    }

    @Test
    void a_saga_that_is_not_parked_must_be_put_down_first() {
        order.does("a").fails("b");
        assertThat(order.resolutions("b")).containsExactly(SUCCEEDED, REJECTED);
        assertThat(order.resolved("b", SUCCEEDED).facts()).isEmpty();

        order.resolvedByForce("b", SUCCEEDED);

        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.calls()).containsExactly("ACTION pivot 1");
    }

    @Test
    void an_attempt_under_way_is_broken_off() {
        order.does("a").resolvedByForce("b", REJECTED);

        assertThat(order.facts()).contains("ACTION b 1 ABANDONED", "ACTION b 0 REJECTED");
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.REJECTED);
        assertThat(order.step("b").inDoubt()).isFalse();
        assertThat(order.calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void what_else_was_under_way_is_tried_again_with_its_doubt() {
        Walk branches = new Walk(Sagas.branches()).does("a").resolvedByForce("b", SUCCEEDED);

        assertThat(branches.step("c").inDoubt()).isTrue();
        assertThat(branches.calls()).contains("ACTION c 1");
        assertThat(branches.status()).isEqualTo(SagaStatus.RUNNING);
    }

    @Test
    void what_else_was_under_way_is_asked_first() {
        Walk branch = new Walk(Sagas.probedBranch()).resolvedByForce("b", SUCCEEDED);

        assertThat(branch.calls()).containsExactly("PROBE a 1");
    }

    @Test
    void what_must_not_be_called_again_parks_the_saga() {
        Walk once = new Walk(Sagas.once()).resolvedByForce("a", SUCCEEDED);
        once.does("b").resolvedByForce("pivot", SUCCEEDED);

        assertThat(once.stepStatus("pivot")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(once.calls()).containsExactly("ACTION mail 1");
    }

    @Test
    void another_step_that_has_parked_the_saga_keeps_it_parked() {
        Walk waits = new Walk(Sagas.waits())
                .does("a")
                .answers("yes")
                .does("pivot")
                .after(Sagas.DELAY)
                .timePasses();
        assertThat(waits.state().reason()).isEqualTo(SagaReason.WAIT_TIMEOUT);
        assertThat(waits.resolved("late-yes", SUCCEEDED).status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(waits.facts()).contains("ACTION late-yes 0 SUCCEEDED");
        assertThat(waits.resolutions("rest")).containsExactly(SUCCEEDED);

        Walk large = new Walk(Sagas.branches()).does("a").stuck("b", SagaReason.RESULT_TOO_LARGE);
        large.resolved("c", SUCCEEDED);
        assertThat(large.stepStatus("c")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(large.state().reason()).isEqualTo(SagaReason.RESULT_TOO_LARGE);
        assertThat(large.calls()).isEmpty();
        assertThat(large.retried().calls()).contains("ACTION pivot 1");
    }

    @Test
    void one_compensation_settled_by_hand_is_not_tried_again_and_the_others_stay_as_they_are() {
        order.does("a").isSpent("b").undoIsSpent("b").undoIsSpent("a");
        assertThat(order.state().reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(order.resolutions("b")).containsExactly(COMPENSATED);

        order.resolved("b", COMPENSATED);

        assertThat(order.facts()).containsExactly("COMPENSATION b 0 SUCCEEDED");
        assertThat(order.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.COMPENSATION_FAILED);
        assertThat(order.resolutions("b")).isEmpty();

        order.resolved("a", COMPENSATED);

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(order.calls()).isEmpty();
    }

    @Test
    void after_the_failed_one_a_strict_saga_goes_on_with_the_next() {
        Walk strict = new Walk(Sagas.strict()).does("a", "b").rejects("c").undoIsSpent("b");
        assertThat(strict.status()).isEqualTo(SagaStatus.FAILED);

        assertThat(strict.resolved("b", COMPENSATED).calls()).containsExactly("COMPENSATION a 1");
    }

    @Test
    void what_waits_to_be_undone_again_is_told_to_be_undone() {
        order.does("a").rejects("b").failsUndo("a").resolvedByForce("a", COMPENSATED);

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void the_last_of_two_failed_compensations_says_why_it_stays_parked() {
        order.does("a").isSpent("b").undoIsSpent("b").failsUndo("a").resolvedByForce("a", COMPENSATED);

        assertThat(order.state().reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
    }

    @Test
    void a_child_that_was_ended_by_an_operator_lets_its_parent_go_on() {
        Walk family = new Walk(Sagas.family()).does("a").starts("child");
        assertThat(family.resolutions("child")).containsExactly(SUCCEEDED, REJECTED);

        assertThat(family.resolvedByForce("child", SUCCEEDED).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_confirm_is_told_to_have_succeeded_and_never_to_be_undone() {
        Walk tcc = new Walk(Sagas.tried()).does("a", "pivot").rejects("a", Phase.CONFIRM);
        assertThat(tcc.state().reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        assertThat(tcc.resolutions("a")).containsExactly(SUCCEEDED);

        tcc.resolved("a", SUCCEEDED);

        assertThat(tcc.facts()).contains("CONFIRM a 0 SUCCEEDED");
        assertThat(tcc.stepStatus("a")).isEqualTo(StepStatus.CONFIRMED);
        assertThat(tcc.status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_condition_need_not_answer_any_more() {
        Walk conditional = new Walk(Sagas.conditional()).resolvedByForce("a", SUCCEEDED);

        assertThat(conditional.step("a").undecided()).isFalse();
        assertThat(conditional.calls()).containsExactly("CONDITION pivot 1");
    }
}
