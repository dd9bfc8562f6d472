package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.util.function.IntPredicate;

/** What is true when a saga has ended. */
final class EndRules {
    private EndRules() {}

    static void check(Happening h, Findings out) {
        if (h.is().status() == SagaStatus.COMPLETED) {
            completed(h, out);
        }
        if (h.is().status() == SagaStatus.COMPENSATED) {
            compensated(h, out);
        }
        if (h.is().status().ended()) {
            out.expect(h.after().underWay().isEmpty(), "end: nothing is under way");
            out.expect(h.is().pending() == null, "end: nothing is pending");
        }
    }

    private static void completed(Happening h, Findings out) {
        out.expect(
                all(
                        h,
                        step -> h.plan().bestEffort(step)
                                || h.after().truth(step).effect() == Effect.APPLIED),
                "end: COMPLETED has every effect, and nothing undone");
        out.expect(
                all(h, step -> h.plan().bestEffort(step) || h.is(step).status() == StepStatus.SUCCEEDED),
                "end: COMPLETED has every step recorded");
        out.expect(all(h, step -> settled(h.is(step).status())), "end: COMPLETED leaves no step open");
    }

    private static boolean settled(StepStatus status) {
        return status == StepStatus.SUCCEEDED || status == StepStatus.GIVEN_UP || status == StepStatus.REJECTED;
    }

    private static void compensated(Happening h, Findings out) {
        out.expect(
                all(
                        h,
                        step -> !h.plan().undoable(step)
                                || !h.after().truth(step).mayBeThere()),
                "end: COMPENSATED has undone all that may have taken effect");
        out.expect(
                h.plan().pivot() < 0 || h.after().truth(h.plan().pivot()).effect() == Effect.NONE,
                "end: COMPENSATED has a pivot that certainly had no effect");
        out.expect(
                all(h, step -> h.is(step).status() != StepStatus.COMPENSATION_FAILED),
                "end: COMPENSATED hides no failed compensation");
    }

    private static boolean all(Happening h, IntPredicate holds) {
        return h.plan().steps().allMatch(holds);
    }
}
