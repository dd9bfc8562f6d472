package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.StepState;
import java.time.Duration;

/** What may be called, and when. */
final class CallRules {
    private CallRules() {}

    static void check(Happening h, Findings out) {
        long steps = h.transition().calls().stream().map(Call::step).distinct().count();
        out.expect(steps == h.transition().calls().size(), "calls: one call of a step at a time");
        for (Call call : h.transition().calls()) {
            any(h, call, out);
            if (call.phase() != Phase.COMPENSATION) {
                action(h, call.step(), out);
                condition(h, call, out);
            }
        }
    }

    private static void any(Happening h, Call call, Findings out) {
        int step = call.step();
        Truth truth = h.settled().truth(step);
        StepState was = h.was(step);
        out.expect(truth.underWay() == null, "calls: nothing is called that is still under way");
        out.expect(h.is().status().active(), "calls: an ended or parked saga calls nothing");
        out.expect(h.is(step).status() == intent(call.phase()), "calls: what is called is recorded as an intent");
        out.expect(h.is(step).notBefore() == null, "calls: what is called waits for nothing");
        out.expect(call.attempt() == h.is(step).attempt(), "calls: the number of the attempt is the recorded one");
        out.expect(call.attempt() == h.after().truth(step).attempt(), "calls: the number of the attempt is right");
        out.expect(
                was.status() != waiting(call.phase()) || due(was.notBefore(), h),
                "calls: no attempt comes before its time");
        boolean admitted = recordedAlready(h, step) || h.event() instanceof SagaEvent.Admitted e && e.step() == step;
        out.expect(!h.after().truth(step).suspect() || admitted, "calls: a suspect runs only when it is admitted");
    }

    private static void condition(Happening h, Call call, Findings out) {
        boolean open = h.plan().conditional(call.step())
                && h.settled().truth(call.step()).answer() == Answer.OPEN;
        out.expect(
                open == (call.phase() == Phase.CONDITION),
                "calls: a condition is asked until it has answered, and the action called only then");
        out.expect(h.settled().truth(call.step()).answer() != Answer.NO, "calls: what is skipped is not called");
    }

    private static boolean due(Duration notBefore, Happening h) {
        return notBefore == null || notBefore.compareTo(h.now()) <= 0 || h.event() instanceof SagaEvent.Retried;
    }

    private static boolean pivotMayTakeEffect(Happening h) {
        int pivot = h.plan().pivot();
        return pivot >= 0 && h.plan().mayTakeEffect(h.after(), pivot);
    }

    private static boolean mayBeCalledAgain(Happening h, int step) {
        return h.settled().truth(step).effect() == Effect.POSSIBLE || recordedAlready(h, step);
    }

    /** Whether the claimer calls what was recorded as an intent, and admitted if need be. */
    private static boolean recordedAlready(Happening h, int step) {
        return h.event() instanceof SagaEvent.Claimed e
                && !e.takenOver()
                && h.before().truth(step).underWay() != null;
    }

    private static StepStatus waiting(Phase phase) {
        return phase == Phase.COMPENSATION ? StepStatus.COMPENSATING : StepStatus.WAITING;
    }

    private static StepStatus intent(Phase phase) {
        return phase == Phase.COMPENSATION ? StepStatus.COMPENSATING : StepStatus.EXECUTING;
    }

    private static void action(Happening h, int step, Findings out) {
        out.expect(h.was().turned() == null && h.is().turned() == null, "turning: no action starts after it");
        out.expect(h.is().status() == SagaStatus.RUNNING, "turning: actions run only in a RUNNING saga");
        boolean goesOn = pivotMayTakeEffect(h) && (step != h.plan().pivot() || mayBeCalledAgain(h, step));
        out.expect(h.is().pending() == null || goesOn, "turning: while it is pending only a pivot in doubt is called");
        out.expect(h.settled().truth(step).effect() != Effect.APPLIED, "final: what is recorded is not called again");
        out.expect(h.plan().ready(h.is(), step), "calls: a step waits for those before it");
        if (h.event() instanceof SagaEvent.TimePassed
                && !pivotMayTakeEffect(h)
                && !h.plan().decided(h.is())) {
            Duration deadline = h.is().deadline();
            out.expect(
                    deadline == null || h.now().compareTo(deadline) < 0,
                    "turning: at its deadline a saga starts nothing");
        }
    }
}
