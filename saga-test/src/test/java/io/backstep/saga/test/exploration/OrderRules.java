package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What is compensated, and in which order. */
final class OrderRules {
    private OrderRules() {}

    static void check(Happening h, Machine machine, Findings out) {
        for (Call call : h.transition().calls()) {
            if (call.phase() == Phase.COMPENSATION) {
                compensation(h, call.step(), out);
            }
        }
        h.plan().steps().filter(step -> ChildRules.isAsked(h, step)).forEach(step -> compensation(h, step, out));
        int step = h.endedCompensation();
        if (step >= 0) {
            ended(h, step, out);
        }
        if (h.is().status() == SagaStatus.COMPENSATING) {
            strict(h, out);
        }
        if (h.is().turned() != null
                && h.after().underWay().stream().allMatch(s -> h.after().isUnderWay(s, Phase.COMPENSATION))
                && h.after().truths().stream().noneMatch(truth -> truth.child() == Child.RUNS)) {
            told(h, machine.compensationOrder(h.is()), out);
        }
    }

    /** What the machine tells others of the order. */
    private static void told(Happening h, List<Integer> order, Findings out) {
        Set<Integer> all = h.plan()
                .steps()
                .filter(step -> h.plan().undoable(step) && h.after().truth(step).effect() != Effect.NONE)
                .boxed()
                .collect(Collectors.toSet());
        out.expect(order.size() == all.size() && all.containsAll(order), "order: the order told has what is undone");
        for (int i = 1; i < order.size(); i++) {
            out.expect(!isBefore(h, order.get(i), order.get(i - 1)), "order: the order told is the one kept");
        }
    }

    /** Whether it may have taken effect and is not undone. */
    static boolean mustUndo(Happening h, int step) {
        return h.plan().undoable(step) && h.settled().truth(step).mayBeThere();
    }

    private static void compensation(Happening h, int step, Findings out) {
        out.expect(h.is().turned() != null, "order: only what has turned compensates");
        out.expect(h.is().status() == SagaStatus.COMPENSATING, "order: only a COMPENSATING saga compensates");
        out.expect(mustUndo(h, step), "order: compensated is only what may have taken effect");
        out.expect(h.settled().underWay().isEmpty(), "order: what is under way ends before anything is undone");
        out.expect(
                h.settled().truths().stream().allMatch(truth -> truth.child() == Child.NONE),
                "order: the end of each child is told before anything is undone");
        boolean first = h.plan()
                .steps()
                .filter(other -> other != step && mustUndo(h, other))
                .filter(other -> h.is(other).status() != StepStatus.COMPENSATION_FAILED)
                .noneMatch(other -> isBefore(h, other, step));
        out.expect(first, "order: reverse order of completion, unknown first");
    }

    /** Whether one must be undone before the other. */
    private static boolean isBefore(Happening h, int one, int other) {
        if (h.plan().waitsFor(one, other)) {
            return true;
        }
        return !h.plan().waitsFor(other, one) && rank(h, one) > rank(h, other);
    }

    private static int rank(Happening h, int step) {
        List<Integer> completed = h.settled().completed();
        int place = completed.indexOf(step);
        return place < 0 ? completed.size() : place;
    }

    private static void ended(Happening h, int step, Findings out) {
        StepStatus is = h.is(step).status();
        if (h.event() instanceof SagaEvent.Succeeded) {
            out.expect(is == StepStatus.COMPENSATED, "order: what is undone is COMPENSATED");
        } else if (h.rejects() || h.spends()) {
            out.expect(is == StepStatus.COMPENSATION_FAILED, "order: rejected or spent is COMPENSATION_FAILED");
            boolean left = h.plan()
                    .steps()
                    .anyMatch(other -> mustUndo(h, other) && h.is(other).status() != StepStatus.COMPENSATION_FAILED);
            boolean parks = h.plan().strict() || !left;
            out.expect(
                    (h.is().parked() == SagaReason.COMPENSATION_EXHAUSTED) == parks,
                    "order: it parks when nothing is left to undo, or at once when strict");
        } else if (h.event() instanceof SagaEvent.Failed) {
            out.expect(is == StepStatus.COMPENSATING, "order: a compensation is retried by its policy");
        }
    }

    private static void strict(Happening h, Findings out) {
        boolean failed = h.is().steps().stream().anyMatch(step -> step.status() == StepStatus.COMPENSATION_FAILED);
        out.expect(!h.plan().strict() || !failed, "order: strict compensation stops at the first that is spent");
    }
}
