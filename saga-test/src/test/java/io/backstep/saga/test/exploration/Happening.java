package io.backstep.saga.test.exploration;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.state.Transition;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One event, what the machine made of it, and what is true then.
 *
 * @param plan the saga
 * @param before the world when the machine was told
 * @param event what it was told
 * @param transition what it answered
 * @param settled what is true after the event, before anything new is called
 * @param after what is true when the calls are out
 */
record Happening(Plan plan, World before, SagaEvent event, Transition transition, World settled, World after) {
    private static final Set<StepStatus> COUNTING =
            EnumSet.of(StepStatus.PENDING, StepStatus.EXECUTING, StepStatus.WAITING, StepStatus.COMPENSATING);

    static Happening of(Plan plan, World before, SagaEvent event, Transition transition) {
        World passed = passed(plan, settled(plan, before, event), before, event, transition);
        World settled = ChildTruths.started(passed, event, transition).withSuspects(transition.suspects());
        World called = called(settled.with(transition.state()), before, transition);
        return new Happening(
                plan, before, event, transition, settled, ChildTruths.asked(waiting(plan, called, before, event)));
    }

    private static World settled(Plan plan, World world, SagaEvent event) {
        if (event instanceof SagaEvent.Succeeded e) {
            return succeeded(world, e.step(), e.phase());
        }
        if (event instanceof SagaEvent.Skipped e) {
            return world.with(
                    e.step(),
                    world.truth(e.step()).calling(null).with(Answer.NO).fresh());
        }
        if (event instanceof SagaEvent.Rejected e) {
            return world.with(e.step(), world.truth(e.step()).calling(null));
        }
        if (event instanceof SagaEvent.Failed e) {
            Truth truth = unanswered(plan, e.step(), world.truth(e.step()));
            return world.with(e.step(), e.outcome() == Outcome.INTERRUPTED ? truth.interrupted() : truth.failed());
        }
        if (event instanceof SagaEvent.Stuck e) {
            return e.step() < 0 ? world : stuck(plan, world, e);
        }
        if (event instanceof SagaEvent.Withdrawn e) {
            return world.with(e.step(), world.truth(e.step()).calling(null));
        }
        if (event instanceof SagaEvent.Started e) {
            return world.with(e.step(), world.truth(e.step()).calling(null));
        }
        if (event instanceof SagaEvent.ChildEnded e) {
            return ChildTruths.ended(world, e);
        }
        if (event instanceof SagaEvent.Claimed e) {
            return claimed(plan, world, e.takenOver());
        }
        if (event instanceof SagaEvent.Answered e) {
            return answered(world, e);
        }
        if (event instanceof SagaEvent.ForceCompleted) {
            return ChildTruths.forgotten(brokenOff(plan, world));
        }
        return event instanceof SagaEvent.Retried ? retried(plan, world) : world;
    }

    private static World stuck(Plan plan, World world, SagaEvent.Stuck event) {
        if (event.reason() == SagaReason.RESULT_TOO_LARGE) {
            return succeeded(world, event.step(), Phase.ACTION);
        }
        Truth truth = world.truth(event.step());
        return world.with(event.step(), unanswered(plan, event.step(), truth).calling(null));
    }

    private static World succeeded(World world, int step, Phase phase) {
        Truth ended = world.truth(step).calling(null);
        if (phase == Phase.CONDITION) {
            return world.with(step, ended.with(Answer.YES).fresh());
        }
        return phase == Phase.ACTION
                ? world.with(step, ended.with(Effect.APPLIED)).withCompleted(step)
                : world.with(step, ended.with(Effect.UNDONE));
    }

    /** Nobody knows what a remote action did; a transactional one did nothing, and one that makes the input of a child has no effect. */
    private static Truth unanswered(Plan plan, int step, Truth truth) {
        boolean doubt = truth.underWay() == Phase.ACTION && plan.remote(step);
        return doubt && truth.effect() == Effect.NONE ? truth.with(Effect.POSSIBLE) : truth;
    }

    private static World claimed(Plan plan, World world, boolean takenOver) {
        World next = world;
        for (int step : world.underWay()) {
            Truth truth = world.truth(step);
            next = next.with(step, takenOver ? unanswered(plan, step, truth).takenOver() : truth.calling(null));
        }
        return next;
    }

    /** What was under way when it parked was not waited for; children still are, with the attempt that has started them. */
    private static World retried(Plan plan, World world) {
        World next = world;
        for (int step = 0; step < world.truths().size(); step++) {
            Truth truth = unanswered(plan, step, world.truth(step)).calling(null);
            next = next.with(step, truth.child() == Child.NONE ? truth.fresh() : truth);
        }
        return next;
    }

    private static World answered(World world, SagaEvent.Answered event) {
        Truth truth = world.truth(event.step());
        if (!truth.waits() || world.state().status() != SagaStatus.RUNNING) {
            return world;
        }
        Truth over = truth.waiting(null);
        return event.rejected()
                ? world.with(event.step(), over)
                : world.with(event.step(), over.with(Effect.APPLIED)).withCompleted(event.step());
    }

    /** Delays whose time is up are over, unless something else came first. */
    private static World passed(Plan plan, World settled, World before, SagaEvent event, Transition transition) {
        World next = settled;
        for (int step = 0; step < next.truths().size(); step++) {
            boolean over = plan.delays(step)
                    && isUp(before.truth(step), event)
                    && transition.state().steps().get(step).status() == StepStatus.SUCCEEDED;
            if (over && next.truth(step).effect() == Effect.NONE) {
                next = next.with(step, next.truth(step).with(Effect.APPLIED)).withCompleted(step);
            }
        }
        return next;
    }

    private static boolean isUp(Truth truth, SagaEvent event) {
        return truth.waits() && truth.waitsUntil().compareTo(event.now()) <= 0;
    }

    /** What waits by now, and until when: from the moment when it began. */
    private static World waiting(Plan plan, World called, World before, SagaEvent event) {
        World next = called;
        for (int step = 0; step < next.truths().size(); step++) {
            Truth truth = next.truth(step);
            if (!next.state().steps().get(step).awaiting()) {
                next = next.with(step, truth.waiting(null));
            } else if (begins(before, event, step) && plan.waits(step)) {
                next = next.with(step, truth.waiting(event.now().plus(plan.waitingTime(step))));
            }
        }
        return next;
    }

    private static boolean begins(World before, SagaEvent event, int step) {
        boolean again = event instanceof SagaEvent.Retried && before.state().status() == SagaStatus.FAILED;
        return again || !before.truth(step).waits();
    }

    /** Nobody waits for what is under way. */
    private static World brokenOff(Plan plan, World world) {
        World next = world;
        for (int step : world.underWay()) {
            next = next.with(step, unanswered(plan, step, world.truth(step)).calling(null));
        }
        return next;
    }

    private static World called(World settled, World before, Transition transition) {
        World next = settled;
        for (Call call : transition.calls()) {
            boolean begins = call.phase() == Phase.COMPENSATION
                    && before.state().steps().get(call.step()).status() != StepStatus.COMPENSATING;
            Truth truth = next.truth(call.step()).calling(call.phase());
            next = next.with(call.step(), begins ? truth.fresh() : truth);
        }
        for (int step = 0; step < next.truths().size(); step++) {
            if (!COUNTING.contains(transition.state().steps().get(step).status())) {
                next = next.with(step, next.truth(step).fresh());
            }
        }
        return next.over() ? next.with(Owner.NONE).withSuspects(List.of()) : next;
    }

    SagaState was() {
        return before.state();
    }

    SagaState is() {
        return transition.state();
    }

    StepState was(int step) {
        return was().steps().get(step);
    }

    StepState is(int step) {
        return is().steps().get(step);
    }

    Duration now() {
        return event.now();
    }

    /** The attempt of the action, or of its condition, that the event ends, or -1. */
    int endedAction() {
        return phaseOfEvent() == Phase.COMPENSATION ? -1 : stepOfEvent();
    }

    /** The attempt of the compensation that the event ends, or -1. */
    int endedCompensation() {
        return phaseOfEvent() == Phase.COMPENSATION ? stepOfEvent() : -1;
    }

    /** The step that the event is about, or -1. */
    int stepOfEvent() {
        if (event instanceof SagaEvent.Succeeded e) {
            return e.step();
        }
        if (event instanceof SagaEvent.Rejected e) {
            return e.step();
        }
        if (event instanceof SagaEvent.Failed e) {
            return e.step();
        }
        if (event instanceof SagaEvent.Skipped e) {
            return e.step();
        }
        if (event instanceof SagaEvent.Started e) {
            return e.step();
        }
        return event instanceof SagaEvent.Stuck e ? e.step() : -1;
    }

    /** Whether the event is about this step. */
    boolean isAbout(int step) {
        if (event instanceof SagaEvent.Withdrawn e) {
            return e.step() == step;
        }
        if (event instanceof SagaEvent.Admitted e) {
            return e.step() == step;
        }
        if (event instanceof SagaEvent.Answered e) {
            return e.step() == step;
        }
        if (event instanceof SagaEvent.ChildEnded e) {
            return e.step() == step;
        }
        boolean handedOver = event instanceof SagaEvent.Claimed
                || event instanceof SagaEvent.Retried
                || event instanceof SagaEvent.ForceCompleted;
        return handedOver && before.isUnderWay(step) || step == stepOfEvent();
    }

    private @Nullable Phase phaseOfEvent() {
        return stepOfEvent() < 0 ? null : before.truth(stepOfEvent()).underWay();
    }

    /** Whether the event is a failure that leaves no attempt. */
    boolean spends() {
        if (!(event instanceof SagaEvent.Failed e) || e.outcome() == Outcome.INTERRUPTED) {
            return false;
        }
        return !e.retryable() || settled.truth(e.step()).failures() >= Shape.ATTEMPTS;
    }

    /** Whether the event is a failure that leaves an attempt. */
    boolean failsButMayRetry() {
        return event instanceof SagaEvent.Failed && !spends();
    }

    /** Whether some step takes the answer that the event tells of. */
    boolean takesAnswer() {
        return event instanceof SagaEvent.Answered e
                && before.truth(e.step()).waits()
                && was().status() == SagaStatus.RUNNING;
    }

    /** Whether that answer is a no. */
    boolean refuses() {
        return event instanceof SagaEvent.Answered e && e.rejected();
    }

    /** Whether it is the end of the child of this step, which somebody waits for. */
    boolean takesEnd(int step) {
        return event instanceof SagaEvent.ChildEnded e && e.step() == step && ChildTruths.isTaken(before, e);
    }

    /** The step whose child was compensated, though nobody has asked it to undo itself: a no; or -1. */
    int refusedByChild() {
        boolean refuses = event instanceof SagaEvent.ChildEnded e
                && e.undone()
                && takesEnd(e.step())
                && before.truth(e.step()).child() == Child.RUNS;
        return refuses ? ((SagaEvent.ChildEnded) event).step() : -1;
    }

    /** Whether a saga that has completed is to be undone for its parent. */
    boolean isTakenBack() {
        return was().status() == SagaStatus.COMPLETED
                && event instanceof SagaEvent.TurnRequested e
                && e.reason() == SagaReason.PARENT
                && plan.pivot() < 0;
    }

    boolean timeIsUp(int step) {
        return isUp(before.truth(step), event);
    }

    boolean beginsToWait(int step) {
        return is(step).awaiting() && begins(before, event, step);
    }

    /** Whether nobody has answered this step in time, and that is recorded now. */
    boolean isSilent(int step) {
        return timeIsUp(step)
                && plan.waits(step)
                && !plan.delays(step)
                && transition.facts().stream()
                        .anyMatch(fact -> fact.step() == step && fact.outcome() == Outcome.TIMED_OUT);
    }

    boolean rejects() {
        return event instanceof SagaEvent.Rejected;
    }
}
