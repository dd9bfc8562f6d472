package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The way forward, and what the machine refuses. */
class ForwardTest {
    private final Walk order = new Walk(Sagas.order());

    @Test
    void a_new_saga_intends_its_first_step() {
        assertThat(order.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(order.calls()).containsExactly("ACTION a 1");
        assertThat(order.facts()).isEmpty();
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.EXECUTING);
        assertThat(order.stepStatus("b")).isEqualTo(StepStatus.PENDING);
    }

    @Test
    void each_success_is_recorded_with_the_intent_of_the_next_step() {
        order.does("a");

        assertThat(order.calls()).containsExactly("ACTION b 1");
        assertThat(order.facts()).containsExactly("ACTION a 1 SUCCEEDED");
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(order.step("a").completed()).isEqualTo(1);
    }

    @Test
    void it_ends_when_every_step_is_done() {
        order.does("a", "b", "pivot", "ship", "mail");

        assertThat(order.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(order.calls()).isEmpty();
        assertThat(order.facts()).containsExactly("ACTION mail 1 SUCCEEDED", "SAGA ENDED");
        assertThat(order.step("mail").completed()).isEqualTo(5);
        assertThat(order.state().reason()).isNull();
    }

    @Test
    void a_best_effort_step_that_is_given_up_is_done_too() {
        order.does("a", "b", "pivot", "ship").isSpent("mail");

        assertThat(order.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(order.stepStatus("mail")).isEqualTo(StepStatus.GIVEN_UP);
        assertThat(order.facts()).containsExactly("ACTION mail 2 FAILED", "SAGA ENDED");
    }

    @Test
    void a_failure_waits_from_the_moment_that_is_told() {
        order.on(new SagaEvent.Failed(
                Duration.ofSeconds(10), 0, Phase.ACTION, Outcome.TIMED_OUT, true, Duration.ofSeconds(12), 0));

        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.WAITING);
        assertThat(order.wakeAt()).isEqualTo(Duration.ofSeconds(13));
        assertThat(order.facts()).containsExactly("ACTION a 1 TIMED_OUT");
        assertThat(order.calls()).isEmpty();
    }

    @Test
    void no_attempt_begins_before_its_time() {
        order.fails("a").after(Sagas.DELAY.minusNanos(1)).timePasses();
        assertThat(order.calls()).isEmpty();

        order.after(Duration.ofNanos(1)).timePasses();
        assertThat(order.calls()).containsExactly("ACTION a 2");
        assertThat(order.step("a").notBefore()).isNull();
        assertThat(order.wakeAt()).isNull();
    }

    @Test
    void time_alone_does_not_call_again_what_is_under_way() {
        order.after(Duration.ofDays(1)).timePasses();

        assertThat(order.calls()).isEmpty();
        assertThat(order.stepStatus("a")).isEqualTo(StepStatus.EXECUTING);
    }

    @Test
    void the_end_of_an_attempt_that_is_not_under_way_is_refused() {
        assertThatThrownBy(() -> order.does("b"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("SAGA-STATE-001")
                .hasMessageContaining("step b of order v1");
        assertThatThrownBy(() -> order.undoes("a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> order.fails("a").rejects("a")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void the_end_of_a_compensation_that_waits_is_refused() {
        Walk turned = new Walk(Sagas.order()).does("a").rejects("b").failsUndo("a");

        assertThatThrownBy(() -> turned.undoes("a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> turned.withdraws("a", Phase.COMPENSATION)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void nothing_moves_a_saga_that_has_ended() {
        SagaState ended = order.does("a", "b", "pivot", "ship", "mail").state();

        order.cancelled().retried().claimed().takenOver().timePasses().admitted("mail");
        order.stuck("", SagaReason.UNREADABLE);

        assertThat(order.last()).isEqualTo(new Transition(ended, List.of(), List.of(), List.of()));
        assertThat(order.wakeAt()).isNull();
    }

    @Test
    void only_a_parked_saga_is_retried() {
        SagaState before = order.state();

        order.retried();

        assertThat(order.state()).isEqualTo(before);
        assertThat(order.facts()).isEmpty();
    }
}
