package io.backstep.saga.test.exploration;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import java.time.Duration;

/** Retries come by their policy and at their time, and an active saga always has something to do. */
final class ProgressRules {
    private ProgressRules() {}

    static void check(Happening h, Machine machine, Findings out) {
        if (h.failsButMayRetry()) {
            retry(h, (SagaEvent.Failed) h.event(), out);
        }
        if (h.endedAction() >= 0 && h.plan().bestEffort(h.endedAction())) {
            bestEffort(h, h.endedAction(), out);
        }
        if (h.is().status().active()) {
            somethingToDo(h, machine, out);
            timers(h, machine, out);
        } else {
            out.expect(machine.wakeAt(h.is()) == null, "progress: an ended or parked saga waits for no time");
        }
        for (int step : h.transition().suspects()) {
            out.expect(h.after().truth(step).suspect(), "progress: only suspects wait to be admitted");
            out.expect(
                    h.after().truth(step).underWay() == null, "progress: what waits to be admitted is not under way");
        }
    }

    private static void retry(Happening h, SagaEvent.Failed event, Findings out) {
        boolean turned = h.is().turned() != null;
        if (event.phase() != Phase.COMPENSATION && turned) {
            out.expect(h.is(event.step()).status() != StepStatus.WAITING, "turning: no retry after it");
            return;
        }
        boolean waits = h.is(event.step()).status() == StepStatus.WAITING || event.phase() == Phase.COMPENSATION;
        if (event.outcome() == Outcome.INTERRUPTED) {
            StepStatus is = h.is(event.step()).status();
            boolean goesOn = waits || is == StepStatus.EXECUTING || is == StepStatus.PENDING;
            out.expect(goesOn && h.is().parked() == null, "policy: a shutdown spends nothing");
        } else {
            out.expect(waits, "policy: what may be retried is retried");
            out.expect(
                    event.from().plus(Shape.DELAY).equals(h.is(event.step()).notBefore()),
                    "policy: the next attempt comes after the delay");
        }
    }

    private static void bestEffort(Happening h, int step, Findings out) {
        out.expect(
                h.is().status() != SagaStatus.FAILED || h.event() instanceof SagaEvent.Stuck,
                "best-effort: it never parks");
        if (h.is().turned() == null && (h.rejects() || h.spends())) {
            StepStatus is = h.is(step).status();
            out.expect(is == StepStatus.GIVEN_UP || is == StepStatus.REJECTED, "best-effort: it is given up");
        }
        out.expect(
                h.plan().kind(step) == StepKind.BEST_EFFORT && h.is(step).status() != StepStatus.COMPENSATING,
                "best-effort: it is never compensated");
    }

    private static void somethingToDo(Happening h, Machine machine, Findings out) {
        SagaState is = h.is();
        SagaState timeless = new SagaState(is.status(), is.turned(), is.pending(), is.parked(), null, is.steps());
        boolean closing = h.after().owner() == Owner.CLOSING
                || h.after().owner() == Owner.WAKING
                || h.after().owner() == Owner.OPERATOR;
        out.expect(
                closing
                        || !h.after().underWay().isEmpty()
                        || machine.wakeAt(timeless) != null
                        || !h.transition().suspects().isEmpty()
                        || h.after().truths().stream().anyMatch(truth -> truth.child() != Child.NONE),
                "progress: an active saga has a call, a time, a suspect or a child");
    }

    private static void timers(Happening h, Machine machine, Findings out) {
        Duration wake = machine.wakeAt(h.is());
        if (h.event() instanceof SagaEvent.TimePassed) {
            out.expect(
                    wake == null
                            || wake.compareTo(h.now()) > 0
                            || !h.transition().suspects().isEmpty(),
                    "progress: time that has passed is dealt with");
        }
        Duration deadline = h.is().deadline();
        boolean open =
                h.is().turned() == null && h.is().pending() == null && !h.plan().decided(h.is());
        out.expect(
                deadline == null || !open || wake != null && wake.compareTo(deadline) <= 0,
                "progress: no deadline is forgotten");
        h.plan().steps().forEach(step -> {
            Duration due = h.is(step).notBefore();
            boolean waits = due != null
                    && due.compareTo(h.now()) > 0
                    && h.after().truth(step).underWay() == null;
            out.expect(!waits || wake != null && wake.compareTo(due) <= 0, "progress: no retry is forgotten");
        });
    }
}
