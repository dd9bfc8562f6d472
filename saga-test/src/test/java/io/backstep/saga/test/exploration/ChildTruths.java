package io.backstep.saga.test.exploration;

import io.backstep.saga.Outcome;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.StepState;
import io.backstep.saga.state.Transition;

/** What becomes of children. */
final class ChildTruths {
    private ChildTruths() {}

    /** A child is there exactly when its parent's write says so. */
    static World started(World world, SagaEvent event, Transition transition) {
        if (!(event instanceof SagaEvent.Started start)) {
            return world;
        }
        boolean starts = transition.facts().stream().anyMatch(fact -> fact.outcome() == Outcome.STARTED);
        return starts ? world.with(start.step(), world.truth(start.step()).startingChild()) : world;
    }

    /** Its end was told; what is told of a parked saga waits, and is told again. */
    static World ended(World world, SagaEvent.ChildEnded event) {
        if (!isTaken(world, event)) {
            return world;
        }
        Truth truth = world.truth(event.step());
        Truth over = truth.with(Child.NONE);
        if (truth.child() == Child.GOES_BACK) {
            return world.with(event.step(), over.with(Effect.UNDONE));
        }
        return event.undone()
                ? world.with(event.step(), over)
                : world.with(event.step(), over.with(Effect.APPLIED)).withCompleted(event.step());
    }

    /** Whether somebody waits for that: a child that was asked to undo itself has not done so by having completed. */
    static boolean isTaken(World world, SagaEvent.ChildEnded event) {
        return world.state().status().active()
                && switch (world.truth(event.step()).child()) {
                    case NONE -> false;
                    case RUNS -> true;
                    case GOES_BACK -> event.undone();
                };
    }

    /** A child is asked to undo itself by the write that begins to wait for it. */
    static World asked(World world) {
        World next = world;
        for (int step = 0; step < next.truths().size(); step++) {
            StepState is = next.state().steps().get(step);
            boolean undone = is.status() == StepStatus.COMPENSATING && is.awaiting();
            if (undone && next.truth(step).child() != Child.GOES_BACK) {
                next = next.with(step, next.truth(step).with(Child.GOES_BACK).fresh());
            }
        }
        return next;
    }

    /** Nobody waits for it any more: what it does, it does for itself. */
    static World forgotten(World world) {
        World next = world;
        for (int step = 0; step < next.truths().size(); step++) {
            Truth truth = next.truth(step);
            if (truth.child() != Child.NONE) {
                Truth alone = truth.with(Child.NONE);
                next = next.with(step, truth.child() == Child.RUNS ? alone.with(Effect.POSSIBLE) : alone);
            }
        }
        return next;
    }
}
