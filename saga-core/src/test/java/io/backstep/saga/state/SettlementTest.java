package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A compensation whose effect is settled later, by a signal. */
class SettlementTest {
    private final Walk saga = new Walk(Sagas.settling()).does("a").rejects("b");

    @Test
    void a_compensation_that_was_called_waits_for_its_settlement() {
        saga.undoes("a");

        assertThat(saga.facts()).containsExactly("COMPENSATION a 1 SUCCEEDED");
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.COMPENSATING);
        assertThat(saga.step("a").awaiting()).isTrue();
        assertThat(saga.step("a").underWay()).isFalse();
        assertThat(saga.wakeAt()).isEqualTo(Sagas.SETTLED_WITHIN);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATING);

        saga.answers("a");

        assertThat(saga.facts()).containsExactly("SETTLEMENT a 1 SUCCEEDED", "SAGA ENDED");
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.COMPENSATED);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void the_wait_is_counted_from_the_end_of_the_call_and_an_attempt_that_fails_waits_for_nothing() {
        saga.failsUndo("a").after(Sagas.DELAY).timePasses();
        assertThat(saga.calls()).containsExactly("COMPENSATION a 2");

        assertThat(saga.undoes("a").wakeAt()).isEqualTo(Sagas.SETTLED_WITHIN.plus(Sagas.DELAY));
    }

    @Test
    void nothing_is_called_again_while_it_waits() {
        saga.undoes("a").after(Sagas.DELAY.dividedBy(2));

        assertThat(saga.timePasses().calls()).isEmpty();
        assertThat(saga.claimed().calls()).isEmpty();
        assertThat(saga.takenOver().calls()).isEmpty();
        assertThat(saga.facts()).isEmpty();
        assertThat(saga.step("a").takeovers()).isZero();
    }

    @Test
    void a_settlement_that_is_refused_is_a_failed_compensation() {
        saga.undoes("a").refuses("a");

        assertThat(saga.facts()).containsExactly("SETTLEMENT a 1 REJECTED", "SAGA PARKED COMPENSATION_EXHAUSTED");
        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.COMPENSATION_FAILED);
    }

    @Test
    void a_settlement_that_does_not_come_is_a_failed_compensation_and_a_retry_calls_and_waits_again() {
        saga.undoes("a").after(Sagas.SETTLED_WITHIN).timePasses();

        assertThat(saga.facts()).containsExactly("SETTLEMENT a 1 TIMED_OUT", "SAGA PARKED COMPENSATION_EXHAUSTED");
        assertThat(saga.retried().calls()).containsExactly("COMPENSATION a 1");
        assertThat(saga.undoes("a").step("a").awaiting()).isTrue();
        assertThat(saga.answers("a").status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void an_operator_may_say_that_it_is_settled() {
        saga.undoes("a").resolvedByForce("a", Resolution.COMPENSATED);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void what_comes_before_the_wait_counts_nothing_by_itself() {
        assertThat(saga.answers("a").facts()).isEmpty();
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATING);
    }

    @Test
    void an_answer_that_comes_with_the_end_of_the_call_settles_it_in_the_same_write() {
        SagaMachine machine = new SagaMachine(Sagas.settling());
        Duration now = Sagas.DELAY;
        Transition both = machine.on(
                saga.state(),
                List.of(
                        new SagaEvent.Answered(now, 0, false, "early"),
                        new SagaEvent.Succeeded(now, 0, Phase.COMPENSATION)),
                false);

        assertThat(both.taken()).containsExactly("early");
        assertThat(both.state().status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(both.facts())
                .extracting(Fact::phase, Fact::outcome)
                .startsWith(
                        org.assertj.core.api.Assertions.tuple(Phase.COMPENSATION, Outcome.SUCCEEDED),
                        org.assertj.core.api.Assertions.tuple(Phase.SETTLEMENT, Outcome.SUCCEEDED));
    }

    @Test
    void an_answer_in_time_wins_over_the_time_that_is_up_however_late_it_is_told() {
        saga.undoes("a");
        SagaMachine machine = new SagaMachine(Sagas.settling());
        Duration late = Sagas.SETTLED_WITHIN.plus(Sagas.DELAY);

        Transition both = machine.on(
                saga.state(),
                List.of(new SagaEvent.TimePassed(late), new SagaEvent.Answered(late, 0, false, "yes")),
                false);

        assertThat(both.state().status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void an_answer_is_kept_while_it_may_be_needed_and_no_longer() {
        SagaMachine machine = new SagaMachine(Sagas.settling());
        SagaEvent.Answered early = new SagaEvent.Answered(Duration.ZERO, 0, false, "early");
        Walk running = new Walk(Sagas.settling());

        assertThat(machine.on(running.state(), List.of(early), false).early()).hasSize(1);
        assertThat(machine.on(running.does("a").state(), List.of(early), false).early())
                .hasSize(1);
        assertThat(machine.on(running.does("b").state(), List.of(early), false).early())
                .isEmpty();
        assertThat(running.state().reason()).isNull();
        assertThat(saga.undoes("a").refuses("a").state().reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(machine.on(saga.state(), List.of(early), false).early()).hasSize(1);
    }
}
