package io.backstep.saga.state;

import static io.backstep.saga.state.BrokenMachine.asking;
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
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.state.ProbedRules.Rule;
import io.backstep.saga.state.Reachable.Machine;
import io.backstep.saga.state.Reachable.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The rules of probes find a machine that is broken where it deals with doubts. */
class BrokenProbesTest {
    private final SagaDefinition<?> saga = Sagas.probed();

    private static void finds(Rule rule, SagaDefinition<?> saga, Machine broken) {
        ProbedRules rules = new ProbedRules();
        BrokenMachine.explore(saga, broken, rules::look, () -> rules.broken.containsKey(rule));
        assertThat(rules.broken).containsKey(rule);
    }

    private static boolean asks(StepState s) {
        return s.question() != null;
    }

    private static StepState asked(StepState s, int unanswered) {
        return asking(s, new Question(Objects.requireNonNull(s.question()).cause(), unanswered));
    }

    @Test
    void a_doubt_that_is_undone_after_one_question_of_two() {
        finds(Rule.ASKED_BEFORE_IT_IS_UNDONE, saga, seeing(saga, BrokenProbesTest::asks, s -> asked(s, 1)));
    }

    @Test
    void a_pivot_in_doubt_that_turns_when_that_is_asked_for() {
        finds(Rule.NO_TURN_IN_DOUBT, saga, saying(saga, BrokenProbesTest::turned));
    }

    private static Transition turned(Seen seen) {
        SagaState s = seen.after().state();
        boolean wished = seen.event() instanceof SagaEvent.TurnRequested
                && s.turned() == null
                && s.status() == SagaStatus.RUNNING;
        return wished
                ? with(
                        seen.after(),
                        new SagaState(
                                SagaStatus.COMPENSATING, SagaReason.CANCELLED, null, null, s.deadline(), s.steps()))
                : seen.after();
    }

    @Test
    void a_question_that_is_forgotten_for_the_next_attempt() {
        finds(
                Rule.NO_CALL_BEFORE_THE_ANSWER,
                saga,
                seeing(saga, s -> asks(s) && s.status() == StepStatus.WAITING, s -> asking(s, null)));
    }

    @Test
    void a_call_at_most_once_that_is_repeated() {
        SagaDefinition<?> once = Sagas.once();
        SagaMachine forgetful = new SagaMachine(once.withSteps(BrokenProbesTest::asOftenAsYouLike));
        finds(Rule.AT_MOST_ONCE, once, forgetful::on);
    }

    private static StepDefinition asOftenAsYouLike(StepDefinition s) {
        return new StepDefinition(
                s.name(),
                s.kind(),
                s.resultType(),
                s.transactional(),
                s.waitsFor(),
                s.condition(),
                s.waiting(),
                s.child(),
                s.action(),
                s.compensation(),
                s.settlement(),
                s.noCompensation(),
                s.confirming(),
                s.probe(),
                s.rejectionIsDefinite(),
                false,
                s.retry(),
                s.timeout(),
                s.compensationTransactional(),
                s.compensationRetry(),
                s.compensationTimeout());
    }

    @Test
    void a_no_that_is_taken_for_do_not_know() {
        finds(
                Rule.A_NO_IS_A_NO,
                saga,
                hearing(
                        saga,
                        (state, event) -> event instanceof SagaEvent.DidNot e
                                ? new SagaEvent.Failed(
                                        e.now(), e.step(), Phase.PROBE, Outcome.UNKNOWN, true, e.now(), 0)
                                : event));
    }

    @Test
    void a_yes_that_is_taken_for_a_no() {
        finds(
                Rule.A_YES_IS_A_YES,
                saga,
                hearing(
                        saga,
                        (state, event) -> event instanceof SagaEvent.Succeeded e && e.phase() == Phase.PROBE
                                ? new SagaEvent.DidNot(e.now(), e.step())
                                : event));
    }

    @Test
    void a_question_that_waits_for_nothing() {
        finds(
                Rule.NO_QUESTION_IS_FORGOTTEN,
                saga,
                saying(
                        saga,
                        seen -> with(
                                seen.after(),
                                with(
                                        seen.after().state(),
                                        s -> asks(s) && s.status() == StepStatus.WAITING,
                                        s -> s.as(StepStatus.WAITING)))));
    }

    /** It asks once more than it may. */
    @Test
    void a_question_that_does_not_end() {
        SagaMachine real = new SagaMachine(saga);
        finds(Rule.QUESTIONS_END, saga, (state, event) -> {
            Transition after = real.on(with(state, BrokenProbesTest::isLast, s -> asked(s, 0)), event);
            List<StepState> steps = new ArrayList<>(after.state().steps());
            for (int i = 0; i < steps.size(); i++) {
                steps.set(i, oneMore(state.steps().get(i), steps.get(i)));
            }
            return with(after, with(after.state(), steps));
        });
    }

    private static boolean isLast(StepState s) {
        return asks(s) && Objects.requireNonNull(s.question()).unanswered() == 1;
    }

    private static StepState oneMore(StepState was, StepState is) {
        return isLast(was) && asks(is)
                ? asked(is, 1 + Objects.requireNonNull(is.question()).unanswered())
                : is;
    }
}
