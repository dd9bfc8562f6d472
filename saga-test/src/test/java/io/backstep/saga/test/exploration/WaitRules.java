package io.backstep.saga.test.exploration;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** A step that waits ends when it is answered, or when its time is up: never before, and at once then. */
final class WaitRules {
    private static final Set<StepStatus> OF_CALLS = EnumSet.of(
            StepStatus.EXECUTING, StepStatus.UNKNOWN, StepStatus.COMPENSATING, StepStatus.COMPENSATION_FAILED);

    private WaitRules() {}

    static void check(Happening h, Findings out) {
        h.plan().steps().forEach(step -> {
            if (h.plan().waits(step)) {
                waits(h, step, out);
            } else if (!h.plan().startsChild(step)) {
                out.expect(!h.is(step).awaiting(), "wait: only a step that waits is awaiting");
            }
        });
        if (h.event() instanceof SagaEvent.Answered e && !h.takesAnswer()) {
            out.expect(h.is().equals(h.was()), "wait: an answer that nobody waits for changes nothing");
            out.expect(h.plan().waits(e.step()), "wait: only a step that waits is answered");
        }
    }

    private static void waits(Happening h, int step, Findings out) {
        out.expect(!OF_CALLS.contains(h.is(step).status()), "wait: nobody is called, so nothing is in doubt or undone");
        out.expect(
                h.transition().calls().stream().map(Call::step).noneMatch(called -> called == step),
                "wait: a step that waits calls nobody");
        if (h.is(step).awaiting()) {
            goesOn(h, step, out);
        }
        if (h.before().truth(step).waits()) {
            ends(h, step, out);
        }
    }

    private static void goesOn(Happening h, int step, Findings out) {
        out.expect(h.is(step).status() == StepStatus.WAITING, "wait: awaiting is WAITING");
        out.expect(!h.is().status().ended(), "wait: what has ended waits for nothing");
        out.expect(
                Objects.equals(h.after().truth(step).waitsUntil(), h.is(step).notBefore()),
                "wait: it lasts as long as its definition says, from when it began");
        if (h.beginsToWait(step)) {
            out.expect(h.plan().ready(h.is(), step), "wait: it begins after those before it");
            out.expect(h.is().status() == SagaStatus.RUNNING, "wait: it begins in a RUNNING saga");
            out.expect(!h.before().truth(step).waits() || isRetried(h), "wait: only a retry begins it again");
        }
    }

    private static boolean isRetried(Happening h) {
        return h.event() instanceof SagaEvent.Retried;
    }

    private static void ends(Happening h, int step, Findings out) {
        boolean answered = h.takesAnswer() && h.isAbout(step);
        boolean up = h.timeIsUp(step) && h.was().status() == SagaStatus.RUNNING;
        if (h.is(step).status() == StepStatus.SUCCEEDED) {
            boolean yes = answered && !h.refuses();
            out.expect(yes || h.plan().delays(step) && up, "wait: it ends by its answer, or its time, never early");
        }
        if (h.is(step).status() == StepStatus.REJECTED) {
            out.expect(answered && h.refuses(), "wait: only a refusal rejects it");
        }
        boolean silent = h.transition().facts().stream()
                .anyMatch(fact -> fact.step() == step && fact.outcome() == Outcome.TIMED_OUT);
        out.expect(!silent || up && !h.plan().delays(step), "wait: nobody is late before the time is up");
        boolean looks = h.event() instanceof SagaEvent.TimePassed || h.event() instanceof SagaEvent.Claimed;
        boolean runs = h.is().status() == SagaStatus.RUNNING;
        out.expect(!looks || !up || !runs || !h.is(step).awaiting(), "wait: it does not outlast its time");
        out.expect(!answered || !h.is(step).awaiting(), "wait: an answer ends it");
    }
}
