package io.backstep.saga.test.exploration;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Fact;
import io.backstep.saga.state.SagaEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What goes into the history: one line for each attempt that ended, and one for each change of the saga. */
final class FactRules {
    private static final Comparator<Fact> ANY_ORDER =
            Comparator.comparingInt(Fact::step).thenComparing(Fact::outcome);

    private FactRules() {}

    static void check(Happening h, Findings out) {
        List<Fact> attempts = new ArrayList<>();
        List<Fact> saga = new ArrayList<>();
        for (Fact fact : h.transition().facts()) {
            if (fact.phase() == Phase.SAGA) {
                saga.add(fact);
            } else if (fact.outcome() == Outcome.SKIPPED && fact.phase() == Phase.COMPENSATION) {
                out.expect(!h.plan().undoable(fact.step()), "history: only what has no compensation is skipped");
            } else {
                attempts.add(new Fact(fact.step(), fact.phase(), fact.attempt(), fact.outcome(), null));
            }
        }
        attempts.sort(ANY_ORDER);
        out.expect(attempts.equals(attempts(h)), "history: one line for each attempt that ended");
        out.expect(saga.equals(saga(h)), "history: one line for each change of the saga");
    }

    private static List<Fact> attempts(Happening h) {
        List<Fact> facts = new ArrayList<>();
        Outcome outcome = outcome(h.event());
        if (outcome != null) {
            facts.add(fact(h, h.stepOfEvent(), outcome));
        }
        if (h.event() instanceof SagaEvent.Retried || h.event() instanceof SagaEvent.ForceCompleted) {
            h.before().underWay().forEach(step -> facts.add(fact(h, step, Outcome.ABANDONED)));
        }
        if (h.event() instanceof SagaEvent.Claimed e && e.takenOver()) {
            h.before().underWay().forEach(step -> facts.add(fact(h, step, Outcome.TAKEN_OVER)));
        }
        h.plan().steps().filter(h.plan()::waits).forEach(step -> {
            Outcome end = endOfWait(h, step);
            if (end != null) {
                facts.add(new Fact(step, Phase.ACTION, h.before().truth(step).attempt(), end, null));
            }
        });
        h.plan().steps().filter(h.plan()::startsChild).forEach(step -> child(h, step, facts));
        facts.sort(ANY_ORDER);
        return facts;
    }

    private static void child(Happening h, int step, List<Fact> facts) {
        if (ChildRules.isToStart(h, step)) {
            facts.add(fact(h, step, Outcome.STARTED));
        }
        if (h.takesEnd(step)) {
            Phase phase = h.before().truth(step).child() == Child.RUNS ? Phase.ACTION : Phase.COMPENSATION;
            Outcome outcome = h.refusedByChild() == step ? Outcome.REJECTED : Outcome.SUCCEEDED;
            facts.add(new Fact(step, phase, h.before().truth(step).attempt(), outcome, null));
        }
    }

    private static @Nullable Outcome endOfWait(Happening h, int step) {
        if (h.takesAnswer() && h.isAbout(step)) {
            return h.refuses() ? Outcome.REJECTED : Outcome.SUCCEEDED;
        }
        if (h.timeIsUp(step) && h.plan().delays(step) && h.is(step).status() == StepStatus.SUCCEEDED) {
            return Outcome.SUCCEEDED;
        }
        return h.isSilent(step) ? Outcome.TIMED_OUT : null;
    }

    private static Fact fact(Happening h, int step, Outcome outcome) {
        Truth truth = h.before().truth(step);
        return new Fact(step, truth.underWay(), truth.attempt(), outcome, null);
    }

    private static @Nullable Outcome outcome(SagaEvent event) {
        if (event instanceof SagaEvent.Succeeded) {
            return Outcome.SUCCEEDED;
        }
        if (event instanceof SagaEvent.Skipped) {
            return Outcome.SKIPPED;
        }
        if (event instanceof SagaEvent.Rejected) {
            return Outcome.REJECTED;
        }
        if (event instanceof SagaEvent.Stuck e && e.step() >= 0) {
            return e.reason() == SagaReason.RESULT_TOO_LARGE ? Outcome.SUCCEEDED : Outcome.FAILED;
        }
        return event instanceof SagaEvent.Failed e ? e.outcome() : null;
    }

    private static List<Fact> saga(Happening h) {
        List<Fact> facts = new ArrayList<>();
        if (h.event() instanceof SagaEvent.Retried) {
            facts.add(saga(Outcome.RESUMED, null));
        }
        if (h.was().turned() == null && h.is().turned() != null) {
            facts.add(saga(Outcome.TURNED, h.is().turned()));
        }
        if (!Objects.equals(h.was().parked(), h.is().parked()) && h.is().parked() != null) {
            facts.add(saga(Outcome.PARKED, h.is().parked()));
        }
        if (h.is().status().ended() && h.is().status() != h.was().status()) {
            facts.add(saga(Outcome.ENDED, null));
        }
        return facts;
    }

    private static Fact saga(Outcome outcome, @Nullable SagaReason reason) {
        return new Fact(-1, Phase.SAGA, 0, outcome, reason);
    }
}
