package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.Reachable.Seen;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is promised of doubts, looked for in each transition. */
final class ProbedRules {
    enum Rule {
        /** What may have taken effect and can be asked for is not compensated before it was. */
        ASKED_BEFORE_IT_IS_UNDONE,
        /** A pivot that may have taken effect never turns its saga. */
        NO_TURN_IN_DOUBT,
        /** No action is called while its probe is to answer. */
        NO_CALL_BEFORE_THE_ANSWER,
        /** What is called at most once is called again only when it certainly took no effect. */
        AT_MOST_ONCE,
        /** After a certain no there is no doubt left. */
        A_NO_IS_A_NO,
        /** What a probe has found is done. */
        A_YES_IS_A_YES,
        /** A question that is open is asked, or will be. */
        NO_QUESTION_IS_FORGOTTEN,
        /** Nobody is asked for ever. */
        QUESTIONS_END
    }

    private static final int ATTEMPTS = 2;
    private static final Set<StepStatus> OPEN =
            EnumSet.of(StepStatus.PENDING, StepStatus.EXECUTING, StepStatus.WAITING);

    /** Where each rule was broken first. */
    final Map<Rule, Seen> broken = new TreeMap<>();

    /** How questions were answered, and on which way. */
    final Set<String> ways = new TreeSet<>();

    final Set<SagaState> states = new HashSet<>();
    long transitions;

    void look(Seen seen) {
        transitions++;
        states.add(seen.before());
        for (int i = 0; i < seen.before().steps().size(); i++) {
            StepDefinition step = seen.definition().steps().get(i);
            if (step.probe() != null) {
                probed(seen, i, step);
            }
            expect(
                    !step.atMostOnce()
                            || !isCalled(seen, i, Phase.ACTION)
                            || !was(seen, i).inDoubt()
                            || deniedNow(seen, i),
                    Rule.AT_MOST_ONCE,
                    seen);
        }
    }

    private void probed(Seen seen, int i, StepDefinition step) {
        StepState was = was(seen, i);
        StepState is = is(seen, i);
        boolean asked = was.phase() == Phase.PROBE && was.status() == StepStatus.EXECUTING;
        if (asked && EventLabel.stepOf(seen.event()) == i) {
            ways.add(seen.event().getClass().getSimpleName() + " while "
                    + (seen.before().turned() == null ? "RUNNING" : "COMPENSATING"));
        }
        expect(
                !beginsToUndo(seen, i) || !was.inDoubt() || isDone(seen, i) || gaveUpAsking(seen, i),
                Rule.ASKED_BEFORE_IT_IS_UNDONE,
                seen);
        boolean turns = seen.before().turned() == null && seen.after().state().turned() != null;
        expect(step.kind() != StepKind.PIVOT || !turns || !is.inDoubt(), Rule.NO_TURN_IN_DOUBT, seen);
        boolean answered = asked && (deniedNow(seen, i) || unansweredNow(seen, i));
        expect(
                !isCalled(seen, i, Phase.ACTION) || was.question() == null || answered,
                Rule.NO_CALL_BEFORE_THE_ANSWER,
                seen);
        expect(!deniedNow(seen, i) || !is.inDoubt() && is.question() == null, Rule.A_NO_IS_A_NO, seen);
        boolean found = seen.event() instanceof SagaEvent.Succeeded e && e.step() == i && e.phase() == Phase.PROBE;
        expect(
                !found || is.status() == StepStatus.SUCCEEDED || is.status() == StepStatus.COMPENSATING,
                Rule.A_YES_IS_A_YES,
                seen);
        boolean goesOn = is.status() == StepStatus.EXECUTING
                || is.status() == StepStatus.WAITING && is.notBefore() != null
                || seen.after().suspects().contains(i)
                || seen.event() instanceof SagaEvent.Withdrawn
                || seen.event() instanceof SagaEvent.Stuck;
        expect(
                is.question() == null || !seen.after().state().status().active() || goesOn,
                Rule.NO_QUESTION_IS_FORGOTTEN,
                seen);
        expect(is.question() == null || is.question().unanswered() < ATTEMPTS, Rule.QUESTIONS_END, seen);
    }

    private static StepState was(Seen seen, int i) {
        return seen.before().steps().get(i);
    }

    private static StepState is(Seen seen, int i) {
        return seen.after().state().steps().get(i);
    }

    private static boolean isCalled(Seen seen, int i, Phase phase) {
        return seen.after().calls().stream().anyMatch(call -> call.step() == i && call.phase() == phase);
    }

    private static boolean beginsToUndo(Seen seen, int i) {
        return is(seen, i).status() == StepStatus.COMPENSATING
                && OPEN.contains(was(seen, i).status());
    }

    /** Whether it is known to have taken effect: then it is undone as what it is. */
    private static boolean isDone(Seen seen, int i) {
        return seen.event() instanceof SagaEvent.Succeeded e && e.step() == i
                || seen.event() instanceof SagaEvent.Stuck s && s.step() == i && s.onlyResultIsMissing();
    }

    private static boolean deniedNow(Seen seen, int i) {
        return seen.event() instanceof SagaEvent.DidNot e && e.step() == i;
    }

    private static boolean unansweredNow(Seen seen, int i) {
        return seen.event() instanceof SagaEvent.Failed e
                && e.step() == i
                && e.phase() == Phase.PROBE
                && e.outcome() != Outcome.INTERRUPTED;
    }

    /** It was asked as often as may be, or the question has cost too many nodes. */
    private static boolean gaveUpAsking(Seen seen, int i) {
        return unansweredNow(seen, i) && was(seen, i).question().unanswered() == ATTEMPTS - 1
                || seen.event() instanceof SagaEvent.Claimed e
                        && e.takenOver()
                        && was(seen, i).takeovers() == 4;
    }

    private void expect(boolean holds, Rule rule, Seen seen) {
        if (!holds) {
            broken.putIfAbsent(rule, seen);
        }
    }
}
