package io.backstep.saga.state;

import static io.backstep.saga.state.BrokenMachine.hearing;
import static io.backstep.saga.state.BrokenMachine.saying;
import static io.backstep.saga.state.BrokenMachine.seeing;
import static io.backstep.saga.state.BrokenMachine.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.ConfirmedRules.Rule;
import io.backstep.saga.state.Reachable.Machine;
import io.backstep.saga.state.Reachable.Seen;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The rules of TCC find a machine that is broken where it deals with tries, the decision and confirms. */
class BrokenConfirmsTest {
    private final SagaDefinition<?> saga = Sagas.triedPair();

    private static void finds(Rule rule, SagaDefinition<?> saga, Machine broken) {
        ConfirmedRules rules = new ConfirmedRules();
        BrokenMachine.explore(saga, broken, rules::look, () -> rules.broken.containsKey(rule));
        assertThat(rules.broken).containsKey(rule);
    }

    private void finds(Rule rule, Function<Seen, Transition> said) {
        finds(rule, saga, saying(saga, said));
    }

    private static boolean confirms(SagaState s) {
        return s.steps().stream().anyMatch(step -> step.status() == StepStatus.CONFIRMING);
    }

    private static Transition as(Seen seen, SagaStatus status, SagaReason turned) {
        SagaState s = seen.after().state();
        return with(seen.after(), new SagaState(status, turned, null, null, s.deadline(), s.steps()));
    }

    @Test
    void a_try_that_failed_and_is_taken_for_a_success() {
        SagaDefinition<?> beside = Sagas.triedBeside();
        finds(
                Rule.NO_CONFIRM_WITHOUT_A_TRY,
                beside,
                hearing(
                        beside,
                        (state, event) -> event instanceof SagaEvent.Failed e && e.phase() == Phase.ACTION
                                ? new SagaEvent.Succeeded(e.now(), e.step(), Phase.ACTION)
                                : event));
    }

    @Test
    void a_try_that_is_confirmed_at_once() {
        finds(
                Rule.NO_CONFIRM_BEFORE_THE_DECISION,
                seen -> seen.event() instanceof SagaEvent.Succeeded e && e.step() == 0 && e.phase() == Phase.ACTION
                        ? with(seen.after(), seen.after().state(), List.of(new Call(0, Phase.CONFIRM, 1)))
                        : seen.after());
    }

    @Test
    void a_decision_that_flips_when_that_is_asked_for() {
        finds(
                Rule.THE_DECISION_NEVER_FLIPS,
                seen -> seen.event() instanceof SagaEvent.TurnRequested
                                && seen.before().status() == SagaStatus.RUNNING
                                && confirms(seen.before())
                        ? as(seen, SagaStatus.COMPENSATING, SagaReason.CANCELLED)
                        : seen.after());
    }

    @Test
    void a_confirm_that_failed_and_is_taken_for_done() {
        finds(
                Rule.ONLY_SUCCESS_CONFIRMS,
                saga,
                hearing(
                        saga,
                        (state, event) -> event instanceof SagaEvent.Failed e && e.phase() == Phase.CONFIRM
                                ? new SagaEvent.Succeeded(e.now(), e.step(), Phase.CONFIRM)
                                : event));
    }

    @Test
    void an_end_before_all_is_confirmed() {
        finds(
                Rule.ALL_ARE_CONFIRMED,
                seen -> confirms(seen.after().state()) && seen.after().state().status() == SagaStatus.RUNNING
                        ? as(seen, SagaStatus.COMPLETED, null)
                        : seen.after());
    }

    @Test
    void an_end_before_all_is_cancelled() {
        finds(
                Rule.ALL_ARE_CANCELLED,
                seen -> seen.after().state().status() == SagaStatus.COMPENSATING
                        ? as(seen, SagaStatus.COMPENSATED, SagaReason.CANCELLED)
                        : seen.after());
    }

    @Test
    void who_does_not_wait_for_a_confirm() {
        finds(
                Rule.WHO_WAITS_WAITS_FOR_THE_CONFIRM,
                saga,
                seeing(saga, s -> s.status() == StepStatus.CONFIRMING, s -> s.as(StepStatus.CONFIRMED)));
    }

    @Test
    void a_confirm_that_failed_once_and_is_not_repeated() {
        finds(
                Rule.NO_CONFIRM_IS_FORGOTTEN,
                seen -> seen.event() instanceof SagaEvent.Failed e && e.phase() == Phase.CONFIRM
                        ? with(
                                seen.after(),
                                with(
                                        seen.after().state(),
                                        s -> s.status() == StepStatus.CONFIRMING && s.notBefore() != null,
                                        s -> s.as(StepStatus.SUCCEEDED)))
                        : seen.after());
    }

    @Test
    void a_parked_confirm_that_counts_as_under_way() {
        finds(
                Rule.WHAT_IS_PARKED_RESTS,
                seen -> seen.after().state().status() == SagaStatus.FAILED
                        ? with(
                                seen.after(),
                                with(
                                        seen.after().state(),
                                        s -> s.status() == StepStatus.CONFIRMING,
                                        s -> s.as(StepStatus.CONFIRMING)))
                        : seen.after());
    }

    @Test
    void a_refused_confirm_that_parks_as_a_spent_one() {
        finds(
                Rule.PARKS_FOR_A_TRUE_REASON,
                saga,
                hearing(
                        saga,
                        (state, event) -> event instanceof SagaEvent.Rejected e && e.phase() == Phase.CONFIRM
                                ? new SagaEvent.Failed(e.now(), e.step(), e.phase(), Outcome.FAILED, false, e.now(), 0)
                                : event));
    }

    @Test
    void a_first_confirm_that_counts_on_from_the_tries() {
        finds(
                Rule.ATTEMPTS_OF_ITS_OWN,
                seen -> with(
                        seen.after(),
                        seen.after().state(),
                        seen.after().calls().stream()
                                .map(call -> new Call(call.step(), call.phase(), call.attempt() + 1))
                                .toList()));
    }
}
