package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.SagaEvent;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntPredicate;

/** What is true when a saga has ended. */
final class EndRules {
    private static final Set<StepStatus> CLOSED =
            EnumSet.complementOf(EnumSet.of(StepStatus.EXECUTING, StepStatus.WAITING, StepStatus.COMPENSATING));

    private static final Set<StepStatus> RECORDED = EnumSet.of(StepStatus.SUCCEEDED, StepStatus.SKIPPED);
    private static final Set<StepStatus> WITHOUT_EFFECT =
            EnumSet.of(StepStatus.PENDING, StepStatus.REJECTED, StepStatus.GIVEN_UP, StepStatus.SKIPPED);

    private EndRules() {}

    static void check(Happening h, Findings out) {
        if (h.is().status() == SagaStatus.COMPLETED) {
            completed(h, out);
        }
        if (h.is().status() == SagaStatus.COMPENSATED) {
            compensated(h, out);
        }
        if (h.event() instanceof SagaEvent.ForceCompleted && !h.was().status().ended()) {
            forced(h, out);
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
                                || h.after().truth(step).answer() == Answer.NO
                                || h.after().truth(step).effect() == Effect.APPLIED),
                "end: COMPLETED has every effect but of what is skipped, and nothing undone");
        out.expect(
                all(
                        h,
                        step -> h.plan().bestEffort(step)
                                || RECORDED.contains(h.is(step).status())),
                "end: COMPLETED has every step recorded");
        out.expect(all(h, step -> settled(h.is(step).status())), "end: COMPLETED leaves no step open");
    }

    private static boolean settled(StepStatus status) {
        return RECORDED.contains(status) || status == StepStatus.GIVEN_UP || status == StepStatus.REJECTED;
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

    private static void forced(Happening h, Findings out) {
        out.expect(h.is().status() == SagaStatus.FORCE_COMPLETED, "end: an operator ends whatever has not ended");
        out.expect(
                h.transition().calls().isEmpty() && h.transition().suspects().isEmpty(),
                "end: FORCE_COMPLETED runs nothing more");
        out.expect(h.is().turned() == h.was().turned(), "end: FORCE_COMPLETED turns nothing");
        h.plan().steps().forEach(step -> {
            StepStatus was = h.was(step).status();
            StepStatus is = h.is(step).status();
            Effect effect = h.after().truth(step).effect();
            boolean open = was == StepStatus.EXECUTING || was == StepStatus.WAITING || was == StepStatus.COMPENSATING;
            out.expect(CLOSED.contains(is), "end: FORCE_COMPLETED leaves no step open");
            out.expect(isToldAs(effect, is, open), "end: FORCE_COMPLETED says of each step what is true");
            out.expect(
                    was != StepStatus.COMPENSATING || is == StepStatus.COMPENSATION_FAILED,
                    "end: FORCE_COMPLETED hides no compensation that was not done");
            out.expect(open || h.is(step).equals(h.was(step)), "end: FORCE_COMPLETED leaves what is settled as it is");
            out.expect(effect != Effect.POSSIBLE || h.is(step).inDoubt(), "unknown: FORCE_COMPLETED forgets no doubt");
        });
    }

    private static boolean isToldAs(Effect effect, StepStatus is, boolean open) {
        return switch (effect) {
            case NONE -> WITHOUT_EFFECT.contains(is);
            case POSSIBLE ->
                is == StepStatus.UNKNOWN
                        || is == StepStatus.COMPENSATION_FAILED
                        || !open && (is == StepStatus.REJECTED || is == StepStatus.GIVEN_UP);
            case APPLIED -> is == StepStatus.SUCCEEDED || is == StepStatus.COMPENSATION_FAILED;
            case UNDONE -> is == StepStatus.COMPENSATED;
        };
    }

    private static boolean all(Happening h, IntPredicate holds) {
        return h.plan().steps().allMatch(holds);
    }
}
