package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A probe is asked before anything follows from a doubt, and its answers settle that or wait. */
class DoubtsTest {
    private final Walk saga = new Walk(Sagas.probed());

    /** The delay between attempts passes. */
    private Walk later() {
        return saga.after(Sagas.DELAY).timePasses();
    }

    @Nested
    class BeforeARetry {
        @Test
        void the_probe_is_asked_when_the_retry_is_due() {
            saga.fails("a");
            assertThat(saga.calls()).isEmpty();
            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.WAITING);

            assertThat(later().calls()).containsExactly("PROBE a 1");
            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.EXECUTING);
        }

        @Test
        void what_took_effect_is_recorded_and_not_called_again() {
            saga.fails("a");
            later().finds("a");

            assertThat(saga.facts()).containsExactly("PROBE a 1 SUCCEEDED");
            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
            assertThat(saga.calls()).containsExactly("ACTION pivot 1");
        }

        @Test
        void what_did_not_is_called_again_and_is_in_doubt_no_longer() {
            saga.fails("a");
            later().denies("a");

            assertThat(saga.facts()).containsExactly("PROBE a 1 DID_NOT");
            assertThat(saga.calls()).containsExactly("ACTION a 2");
            assertThat(saga.rejects("a").stepStatus("a")).isEqualTo(StepStatus.REJECTED);
            assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        }

        @Test
        void what_nobody_knows_is_called_again_with_the_attempts_that_are_left() {
            saga.fails("a");
            later().knowsNothingOf("a");

            assertThat(saga.facts()).containsExactly("PROBE a 1 UNKNOWN");
            assertThat(saga.calls()).containsExactly("ACTION a 2");
            assertThat(saga.step("a").inDoubt()).isTrue();
        }

        @Test
        void a_probe_that_fails_does_not_know() {
            saga.fails("a");
            later().ends("a", Phase.PROBE, Outcome.TIMED_OUT, true);

            assertThat(saga.facts()).containsExactly("PROBE a 1 TIMED_OUT");
            assertThat(saga.calls()).containsExactly("ACTION a 2");
        }

        @Test
        void an_interrupted_probe_is_asked_again() {
            saga.fails("a");
            later().ends("a", Phase.PROBE, Outcome.INTERRUPTED, true);

            assertThat(saga.calls()).containsExactly("PROBE a 1");
        }

        @Test
        void after_a_takeover_it_is_asked_at_once() {
            assertThat(saga.takenOver().calls()).containsExactly("PROBE a 1");
            assertThat(saga.finds("a").calls()).containsExactly("ACTION pivot 1");
        }

        @Test
        void a_lost_probe_is_asked_again() {
            saga.takenOver();
            assertThat(saga.takenOver().calls()).isEmpty();
            assertThat(saga.facts()).containsExactly("PROBE a 1 TAKEN_OVER");
            assertThat(saga.suspects()).containsExactly("a");
            assertThat(saga.admitted("a").calls()).containsExactly("PROBE a 1");
        }

        @Test
        void a_probe_that_kills_its_nodes_parks_the_saga() {
            saga.kills(5, "a");

            assertThat(saga.state().parked()).isEqualTo(SagaReason.TAKEOVER_LIMIT);
            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.UNKNOWN);
        }

        @Test
        void a_probe_that_was_never_called_is_called_later() {
            saga.takenOver().withdraws("a", Phase.PROBE);

            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.WAITING);
            assertThat(saga.timePasses().calls()).containsExactly("PROBE a 1");
            assertThat(saga.claimed().calls()).containsExactly("PROBE a 1");
        }
    }

    @Nested
    class WhenAttemptsAreSpent {
        private Walk spent(String step) {
            saga.fails(step);
            later().knowsNothingOf(step);
            return saga.fails(step);
        }

        @Test
        void the_probe_is_asked_at_once_before_the_saga_turns() {
            assertThat(spent("a").calls()).containsExactly("PROBE a 1");
            assertThat(saga.status()).isEqualTo(SagaStatus.RUNNING);
        }

        @Test
        void what_took_effect_lets_the_saga_go_on() {
            assertThat(spent("a").finds("a").calls()).containsExactly("ACTION pivot 1");
        }

        @Test
        void what_did_not_turns_the_saga_and_needs_no_compensation() {
            spent("a").denies("a");

            assertThat(saga.facts())
                    .containsExactly("PROBE a 1 DID_NOT", "SAGA TURNED ATTEMPTS_EXHAUSTED", "SAGA ENDED");
            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.GIVEN_UP);
        }

        @Test
        void what_nobody_knows_is_asked_again_by_the_policy_and_then_undone() {
            spent("a").knowsNothingOf("a");
            assertThat(saga.calls()).isEmpty();
            assertThat(saga.wakeAt()).isEqualTo(Sagas.DELAY.multipliedBy(2));

            assertThat(later().calls()).containsExactly("PROBE a 2");
            assertThat(saga.knowsNothingOf("a").calls()).containsExactly("COMPENSATION a 1");
            assertThat(saga.state().turned()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        }

        @Test
        void a_pivot_that_took_effect_decides_the_saga() {
            saga.does("a");
            spent("pivot").cancelled();
            assertThat(saga.state().pending()).isEqualTo(SagaReason.CANCELLED);

            assertThat(saga.finds("pivot").calls()).containsExactly("ACTION ship 1");
            assertThat(saga.state().pending()).isNull();
        }

        @Test
        void a_pivot_that_did_not_turns_the_saga() {
            saga.does("a");
            assertThat(spent("pivot").denies("pivot").calls()).containsExactly("COMPENSATION a 1");
        }

        @Test
        void a_pivot_is_parked_as_unknown_only_when_the_probe_does_not_know_at_the_end() {
            saga.does("a");
            spent("pivot").knowsNothingOf("pivot");
            assertThat(saga.status()).isEqualTo(SagaStatus.RUNNING);

            later().knowsNothingOf("pivot");
            assertThat(saga.state().parked()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        }

        @Test
        void an_operators_retry_asks_first() {
            a_pivot_is_parked_as_unknown_only_when_the_probe_does_not_know_at_the_end();

            assertThat(saga.retried().calls()).containsExactly("PROBE pivot 1");
            assertThat(saga.knowsNothingOf("pivot").calls()).containsExactly("ACTION pivot 1");
        }

        @Test
        void a_retriable_step_goes_on_or_is_parked() {
            saga.does("a", "pivot");
            spent("ship").knowsNothingOf("ship");
            later().knowsNothingOf("ship");
            assertThat(saga.state().parked()).isEqualTo(SagaReason.RETRIABLE_EXHAUSTED);

            assertThat(saga.retried().finds("ship").status()).isEqualTo(SagaStatus.COMPLETED);
        }
    }

    @Nested
    class WhenTheSagaTurns {
        @Test
        void a_step_in_doubt_is_asked_before_it_is_compensated() {
            saga.fails("a").cancelled();

            assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATING);
            assertThat(saga.calls()).containsExactly("PROBE a 1");
            assertThat(saga.compensationOrder()).isEmpty();
        }

        @Test
        void what_took_effect_is_compensated_as_a_success() {
            saga.fails("a").cancelled().finds("a");

            assertThat(saga.calls()).containsExactly("COMPENSATION a 1");
            assertThat(saga.step("a").completed()).isEqualTo(1);
        }

        @Test
        void what_did_not_is_not_compensated() {
            saga.fails("a").cancelled().denies("a");

            assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.GIVEN_UP);
        }

        @Test
        void what_nobody_knows_is_asked_by_the_policy_and_then_compensated_as_unknown() {
            saga.fails("a").cancelled().knowsNothingOf("a");
            assertThat(saga.calls()).isEmpty();

            assertThat(later().calls()).containsExactly("PROBE a 2");
            assertThat(saga.knowsNothingOf("a").calls()).containsExactly("COMPENSATION a 1");
        }

        @Test
        void what_is_being_asked_is_awaited_and_not_asked_twice() {
            saga.takenOver().cancelled();
            assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATING);
            assertThat(saga.calls()).isEmpty();

            assertThat(saga.finds("a").calls()).containsExactly("COMPENSATION a 1");
        }

        @Test
        void an_action_that_is_awaited_and_fails_is_asked() {
            assertThat(saga.cancelled().fails("a").calls()).containsExactly("PROBE a 1");
        }

        @Test
        void an_action_that_is_lost_with_its_node_is_asked() {
            assertThat(saga.cancelled().takenOver().calls()).containsExactly("PROBE a 1");
        }

        @Test
        void a_pivot_in_doubt_holds_the_turn_up_and_turns_when_it_did_not() {
            saga.does("a").fails("pivot").cancelled();
            later();
            assertThat(saga.calls()).containsExactly("PROBE pivot 1");
            assertThat(saga.status()).isEqualTo(SagaStatus.RUNNING);

            saga.denies("pivot");
            assertThat(saga.state().turned()).isEqualTo(SagaReason.CANCELLED);
            assertThat(saga.calls()).containsExactly("COMPENSATION a 1");
        }

        @Test
        void force_ends_it_without_asking() {
            saga.fails("a").cancelled().forceCompleted();

            assertThat(saga.status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.UNKNOWN);
            assertThat(saga.facts()).contains("PROBE a 1 ABANDONED");
        }

        @Test
        void without_a_limit_it_asks_ten_times() {
            Walk endless = new Walk(Sagas.saga("endless")
                    .step("a")
                    .action(c -> {})
                    .probeOutcome(c -> Probe.unknown())
                    .compensate(c -> {})
                    .retry(Retry.fixed(Sagas.DELAY).forever())
                    .build());
            endless.fails("a").cancelled();

            assertThat(askedInVain(endless, "a")).isEqualTo(10);
            assertThat(endless.calls()).containsExactly("COMPENSATION a 1");
        }
    }

    /** How often the probe of a step is asked that never knows. */
    private static int askedInVain(Walk walk, String step) {
        int asked = 0;
        while (asked < 100 && walk.calls().contains("PROBE " + step + " " + (asked + 1))) {
            asked++;
            walk.knowsNothingOf(step);
            if (walk.calls().isEmpty()) {
                walk.after(Sagas.DELAY).timePasses();
            }
        }
        return asked;
    }

    @Nested
    class AfterARejection {
        private Walk rejected() {
            saga.fails("a");
            later().knowsNothingOf("a");
            return saga.rejects("a");
        }

        @Test
        void the_probe_says_what_the_earlier_attempt_did() {
            assertThat(rejected().calls()).containsExactly("PROBE a 1");
            assertThat(saga.status()).isEqualTo(SagaStatus.RUNNING);
        }

        @Test
        void it_is_definite_when_that_had_no_effect() {
            rejected().denies("a");

            assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.REJECTED);
            assertThat(saga.facts()).containsExactly("PROBE a 1 DID_NOT", "SAGA TURNED REJECTED", "SAGA ENDED");
        }

        @Test
        void the_step_is_done_when_that_took_effect() {
            assertThat(rejected().finds("a").calls()).containsExactly("ACTION pivot 1");
        }

        @Test
        void it_is_undone_as_unknown_when_nobody_knows() {
            rejected().knowsNothingOf("a");
            later().knowsNothingOf("a");

            assertThat(saga.state().turned()).isEqualTo(SagaReason.REJECTED);
            assertThat(saga.calls()).containsExactly("COMPENSATION a 1");
        }

        @Test
        void a_retriable_step_without_a_limit_is_parked_after_ten_questions() {
            Walk endless = new Walk(Sagas.saga("endless")
                    .pivot("pivot")
                    .action(c -> {})
                    .retriable("ship")
                    .action(c -> {})
                    .probeOutcome(c -> Probe.unknown())
                    .retry(Retry.fixed(Sagas.DELAY).forever())
                    .build());
            endless.does("pivot").fails("ship").after(Sagas.DELAY).timePasses();
            endless.knowsNothingOf("ship").rejects("ship");

            assertThat(askedInVain(endless, "ship")).isEqualTo(10);
            assertThat(endless.state().parked()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        }

        @Test
        void it_needs_no_probe_where_it_is_definite_by_definition() {
            Walk definite = new Walk(Sagas.probedBranch());
            definite.does("a", "b")
                    .fails("pivot")
                    .after(Sagas.DELAY)
                    .timePasses()
                    .rejects("pivot");

            assertThat(definite.stepStatus("pivot")).isEqualTo(StepStatus.REJECTED);
            assertThat(definite.step("pivot").inDoubt()).isFalse();
            assertThat(definite.state().turned()).isEqualTo(SagaReason.REJECTED);
            assertThat(definite.calls()).containsExactly("COMPENSATION b 1");
        }
    }

    @Nested
    class AtMostOnce {
        private final Walk once = new Walk(Sagas.once());

        @Test
        void a_doubt_means_unknown_and_turns_the_saga() {
            once.fails("a");

            assertThat(once.state().turned()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
            assertThat(once.calls()).containsExactly("COMPENSATION a 1");
        }

        @Test
        void so_does_a_lost_node() {
            assertThat(once.takenOver().calls()).containsExactly("COMPENSATION a 1");
        }

        @Test
        void a_shutdown_too() {
            assertThat(once.ends("a", Phase.ACTION, Outcome.INTERRUPTED, true).calls())
                    .containsExactly("COMPENSATION a 1");
        }

        @Test
        void what_was_never_called_is_called() {
            assertThat(once.withdraws("a", Phase.ACTION).timePasses().calls()).containsExactly("ACTION a 1");
        }

        @Test
        void a_probe_is_asked_instead_of_calling_again() {
            once.does("a").fails("b").after(Sagas.DELAY).timePasses();
            assertThat(once.calls()).containsExactly("PROBE b 1");

            assertThat(once.knowsNothingOf("b").calls()).isEmpty();
            assertThat(once.after(Sagas.DELAY).timePasses().calls()).containsExactly("PROBE b 2");
            assertThat(once.finds("b").calls()).containsExactly("ACTION pivot 1");
        }

        @Test
        void the_probe_may_allow_another_call() {
            once.does("a").takenOver();
            assertThat(once.calls()).containsExactly("PROBE b 1");

            assertThat(once.denies("b").calls()).containsExactly("ACTION b 2");
        }

        @Test
        void it_is_unknown_when_the_probe_never_knows() {
            once.does("a").takenOver().knowsNothingOf("b").after(Sagas.DELAY).timePasses();
            once.knowsNothingOf("b");

            assertThat(once.stepStatus("b")).isEqualTo(StepStatus.UNKNOWN);
            assertThat(once.state().turned()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        }

        @Test
        void a_pivot_is_parked_and_not_called_by_a_retry_either() {
            once.does("a", "b").fails("pivot");
            assertThat(once.state().parked()).isEqualTo(SagaReason.PIVOT_UNKNOWN);

            assertThat(once.retried().calls()).isEmpty();
            assertThat(once.state().parked()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        }

        @Test
        void a_best_effort_step_is_given_up() {
            once.does("a", "b", "pivot").takenOver();

            assertThat(once.stepStatus("mail")).isEqualTo(StepStatus.GIVEN_UP);
            assertThat(once.status()).isEqualTo(SagaStatus.COMPLETED);
        }
    }

    @Test
    void the_deadline_turns_a_saga_that_asks() {
        Walk late = new Walk(Sagas.probed(), Duration.ofSeconds(1));
        late.fails("a").after(Duration.ofSeconds(1)).timePasses();

        assertThat(late.state().turned()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(late.calls()).containsExactly("PROBE a 1");
    }

    @Test
    void a_branch_is_asked_while_the_other_still_runs() {
        Walk branches = new Walk(Sagas.probedBranch());
        branches.fails("a").cancelled();
        assertThat(branches.calls()).containsExactly("PROBE a 1");

        assertThat(branches.denies("a").calls()).isEmpty();
        assertThat(branches.does("b").calls()).containsExactly("COMPENSATION b 1");
    }

    @Test
    void a_result_that_cannot_be_kept_is_found_all_the_same() {
        saga.takenOver().stuck("a", SagaReason.RESULT_TOO_LARGE);

        assertThat(saga.stepStatus("a")).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(saga.facts()).containsExactly("PROBE a 1 SUCCEEDED", "SAGA PARKED RESULT_TOO_LARGE");
        assertThat(saga.retried().calls()).containsExactly("ACTION pivot 1");
    }
}
