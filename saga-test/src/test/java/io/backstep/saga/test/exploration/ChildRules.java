package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** A step with a child is what has become of the child: nobody but the child ends it, and only its parent takes it back. */
final class ChildRules {
    private static final Set<StepStatus> OF_COMPLETED = EnumSet.of(StepStatus.SUCCEEDED, StepStatus.COMPENSATING);

    private ChildRules() {}

    static void check(Happening h, Findings out) {
        h.plan().steps().forEach(step -> {
            if (h.plan().startsChild(step)) {
                starts(h, step, out);
                awaits(h, step, out);
                ends(h, step, out);
            } else {
                out.expect(h.after().truth(step).children() == 0, "child: only a step that starts a saga has a child");
            }
        });
        if (h.event() instanceof SagaEvent.ChildEnded e && !h.takesEnd(e.step())) {
            boolean nothing = h.transition().calls().isEmpty() && h.is().equals(h.was());
            out.expect(nothing, "child: an end that nobody waits for changes nothing");
        }
        takenBack(h, out);
    }

    /** Whether the input is made of a child that the write of this must start: a saga that goes forward starts it. */
    static boolean isToStart(Happening h, int step) {
        return h.event() instanceof SagaEvent.Started e && e.step() == step && h.is().status() == SagaStatus.RUNNING;
    }

    /** Whether its child is asked now to undo itself. */
    static boolean isAsked(Happening h, int step) {
        return h.after().truth(step).child() == Child.GOES_BACK
                && h.before().truth(step).child() != Child.GOES_BACK;
    }

    private static void starts(Happening h, int step, Findings out) {
        int children = h.after().truth(step).children();
        out.expect(h.is(step).children() == children, "child: the number of children is right");
        boolean starts = children > h.before().truth(step).children();
        out.expect(
                starts == isToStart(h, step), "child: it starts when its input is made, in a saga that goes forward");
        if (starts) {
            Truth truth = h.before().truth(step);
            out.expect(truth.child() == Child.NONE, "child: one at a time");
            out.expect(truth.effect() == Effect.NONE, "child: none after one that has completed");
            out.expect(h.was().status() == SagaStatus.RUNNING, "child: it starts only in a RUNNING saga");
            out.expect(h.was().turned() == null && h.is().turned() == null, "child: none starts once it has turned");
            out.expect(h.plan().ready(h.is(), step), "child: it starts after the steps before it");
            Duration deadline = h.is().deadline();
            boolean late = deadline != null && deadline.compareTo(h.now()) <= 0;
            out.expect(!late || h.plan().decided(h.is()), "child: at its deadline a saga starts none");
        }
    }

    private static void awaits(Happening h, int step, Findings out) {
        StepStatus is = h.is(step).status();
        Child child = h.after().truth(step).child();
        StepStatus awaiting = switch (child) {
            case NONE -> null;
            case RUNS -> StepStatus.WAITING;
            case GOES_BACK -> StepStatus.COMPENSATING;
        };
        out.expect(h.is(step).awaiting() == (child != Child.NONE), "child: it is awaited until its end is told");
        out.expect(awaiting == null || is == awaiting, "child: while it runs the step is WAITING, or COMPENSATING");
        if (child == Child.NONE) {
            return;
        }
        out.expect(h.is(step).notBefore() == null, "child: no time ends it");
        out.expect(!h.is().status().ended(), "child: no saga ends before its children");
        out.expect(
                h.transition().calls().stream().map(Call::step).noneMatch(called -> called == step),
                "child: while it is awaited the step calls nobody");
        boolean undone = child != Child.GOES_BACK || h.plan().undoneByChild(step);
        out.expect(undone, "child: it is taken back only where the step says nothing else");
    }

    private static void ends(Happening h, int step, Findings out) {
        for (Call call : h.transition().calls()) {
            boolean undoes = call.step() == step && h.is(step).status() == StepStatus.COMPENSATING;
            out.expect(!undoes || !h.plan().undoneByChild(step), "child: only the child undoes itself");
        }
        if (!h.takesEnd(step)) {
            return;
        }
        StepStatus is = h.is(step).status();
        if (h.before().truth(step).child() == Child.GOES_BACK) {
            out.expect(is == StepStatus.COMPENSATED, "child: once it is undone the step is COMPENSATED");
        } else if (h.refusedByChild() == step) {
            out.expect(is == StepStatus.REJECTED, "child: COMPENSATED means that the step is rejected");
        } else {
            boolean forward = h.is().turned() == null;
            boolean succeeded = forward ? is == StepStatus.SUCCEEDED : OF_COMPLETED.contains(is);
            out.expect(succeeded, "child: COMPLETED means that the step has succeeded");
        }
    }

    /** This saga as a child. */
    private static void takenBack(Happening h, Findings out) {
        if (h.isTakenBack()) {
            out.expect(h.is().turned() == SagaReason.PARENT, "child: its parent turns one that has completed");
        } else if (h.was().status().ended()) {
            out.expect(h.is().equals(h.was()), "final: what has ended stays as it is");
        }
        boolean back = h.is().turned() == SagaReason.PARENT;
        out.expect(!back || h.plan().pivot() < 0, "child: one with a pivot is not taken back");
    }
}
