package io.backstep.saga.test.exploration;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything that may happen next. */
final class Moves {
    /** The present, always: after each move all times are shifted so that it stays. */
    static final Duration NOW = Duration.ofSeconds(100);

    /** A deadline that has not come; it comes when a move says so. */
    static final Duration FAR = Duration.ofDays(300);

    private static final List<Outcome> UNANSWERED = List.of(Outcome.FAILED, Outcome.TIMED_OUT, Outcome.ABANDONED);

    private final Plan plan;
    private final Machine machine;
    private final Bounds bounds;

    /**
     * @param plan the saga
     * @param machine its machine
     * @param bounds how far it goes
     */
    Moves(Plan plan, Machine machine, Bounds bounds) {
        this.plan = plan;
        this.machine = machine;
        this.bounds = bounds;
    }

    List<Move> from(World world) {
        List<Move> moves = new ArrayList<>();
        if (world.state().status() == SagaStatus.FAILED) {
            retry(world, moves);
        } else if (world.owner() == Owner.LOST) {
            claim(world, true, moves);
        } else if (world.owner() == Owner.RELEASED) {
            claim(world, false, moves);
            if (world.left().any() && mayCrash(world)) {
                World less = world.with(world.left().oneLess());
                moves.add(silent("the claimer is lost before it writes", less.with(Owner.LOST), false));
            }
        } else if (!world.over()) {
            owned(world, moves);
        }
        if (!world.state().status().ended() && world.owner() != Owner.WAKING) {
            OperatorMoves.add(world, bounds.operator(), moves);
        }
        if (bounds.operator() && plan.pivot() < 0) {
            ChildMoves.takenBack(world, moves);
        }
        return moves;
    }

    private void retry(World world, List<Move> moves) {
        if (world.left().retry()) {
            World less = world.with(world.left().retried());
            moves.add(told("operator, row free", less.with(Owner.RELEASED), new SagaEvent.Retried(NOW), false));
            moves.add(told("operator, owned", less.with(Owner.LIVE), new SagaEvent.Retried(NOW), false));
        }
    }

    private void claim(World world, boolean takenOver, List<Move> moves) {
        World owned = world.with(Owner.LIVE);
        moves.add(told("claim", owned, new SagaEvent.Claimed(NOW, takenOver), true));
        Duration wake = wakeAt(world.state());
        if (wake != null && wake.compareTo(NOW) > 0) {
            moves.add(told("later claim", owned, new SagaEvent.Claimed(wake, takenOver), true));
        }
    }

    private void owned(World world, List<Move> moves) {
        if (world.owner() == Owner.WAKING) {
            moves.add(told("with the same write", world.with(Owner.LIVE), new SagaEvent.TimePassed(NOW), true));
            return;
        }
        for (int step : world.underWay()) {
            Phase phase = world.truth(step).underWay();
            boolean makesInput = phase == Phase.ACTION && plan.startsChild(step);
            SagaEvent good = makesInput ? new SagaEvent.Started(NOW, step) : new SagaEvent.Succeeded(NOW, step, phase);
            moves.add(told("answer", world, good, true));
            if (phase == Phase.CONDITION) {
                moves.add(told("answer", world, new SagaEvent.Skipped(NOW, step), true));
            }
            if (world.left().any()) {
                attemptGoesWrong(world, step, phase, moves);
            }
        }
        if (world.owner() == Owner.LIVE) {
            answers(world, moves);
            ChildMoves.ends(plan, world, moves);
            timeAndAdmission(world, moves);
        }
        if (world.owner() == Owner.CLOSING && world.underWay().isEmpty()) {
            moves.add(silent("release", world.with(Owner.RELEASED), true));
        }
        if (world.left().any()) {
            nodeGoesWrong(world, moves);
            sagaIsTurned(world, moves);
        }
    }

    private void attemptGoesWrong(World full, int step, Phase phase, List<Move> moves) {
        World world = full.with(full.left().oneLess());
        moves.add(told("no", world, new SagaEvent.Rejected(NOW, step, phase), false));
        for (Outcome outcome : UNANSWERED) {
            moves.add(told("no answer", world, failed(step, phase, outcome, true), false));
        }
        moves.add(told("no answer", world, failed(step, phase, Outcome.FAILED, false), false));
        World closing = world.with(Owner.CLOSING);
        if (world.truth(step).interruptions() == 0) {
            moves.add(told("shutdown", closing, failed(step, phase, Outcome.INTERRUPTED, true), false));
            moves.add(told("shutdown", closing, failed(step, phase, Outcome.INTERRUPTED, false), false));
        }
        moves.add(told("shutdown", closing, new SagaEvent.Withdrawn(NOW, step, phase), false));
        if (world.state().turned() != null && phase != Phase.COMPENSATION) {
            World waking = full.with(Owner.WAKING);
            moves.add(told("it turned first", waking, new SagaEvent.Withdrawn(NOW, step, phase), false));
        }
        if (world.left().stuck()) {
            World stuck = world.with(full.left().gotStuck());
            moves.add(told("unreadable", stuck, new SagaEvent.Stuck(NOW, step, SagaReason.UNREADABLE), false));
            if (phase == Phase.ACTION && plan.remote(step)) {
                moves.add(told("too large", stuck, new SagaEvent.Stuck(NOW, step, SagaReason.RESULT_TOO_LARGE), false));
            }
        }
    }

    private static SagaEvent failed(int step, Phase phase, Outcome outcome, boolean retryable) {
        return new SagaEvent.Failed(NOW, step, phase, outcome, retryable, NOW, 0);
    }

    /** Also those that come when nobody waits for them. */
    private void answers(World world, List<Move> moves) {
        plan.steps().filter(step -> plan.waits(step) && !plan.delays(step)).forEach(step -> {
            boolean awaited = world.truth(step).waits();
            moves.add(told("answer", world, new SagaEvent.Answered(NOW, step, false, "yes"), awaited));
            if (world.left().any()) {
                World less = world.with(world.left().oneLess());
                moves.add(told("refusal", less, new SagaEvent.Answered(NOW, step, true, "no"), false));
            }
        });
        if (world.truths().stream().anyMatch(truth -> truth.waits() || truth.child() != Child.NONE)) {
            moves.add(told("woken early", world, new SagaEvent.TimePassed(NOW), false));
        }
    }

    private void timeAndAdmission(World world, List<Move> moves) {
        Duration wake = wakeAt(world.state());
        if (wake != null) {
            Duration then = wake.compareTo(NOW) > 0 ? wake : NOW;
            moves.add(told("time", world, new SagaEvent.TimePassed(then), true));
        } else {
            moves.add(told("early time", world, new SagaEvent.TimePassed(NOW), false));
        }
        boolean oneRuns =
                world.underWay().stream().anyMatch(step -> world.truth(step).suspect());
        if (!oneRuns) {
            for (int step : world.suspects()) {
                moves.add(told("admission", world, new SagaEvent.Admitted(NOW, step), true));
            }
        }
    }

    private void nodeGoesWrong(World full, List<Move> moves) {
        World world = full.with(full.left().oneLess());
        if (mayCrash(world)) {
            moves.add(silent("crash", world.with(Owner.LOST).withSuspects(List.of()), false));
        }
        if (world.left().stuck()) {
            World stuck = world.with(full.left().gotStuck());
            moves.add(told("step unknown", stuck, new SagaEvent.Stuck(NOW, -1, SagaReason.STEP_UNKNOWN), false));
        }
        if (world.owner() == Owner.LIVE) {
            moves.add(silent("release, intents never called", world.with(Owner.RELEASED), false));
        }
    }

    private boolean mayCrash(World world) {
        return world.underWay().stream().allMatch(step -> world.truth(step).takeovers() < bounds.crashes());
    }

    private void sagaIsTurned(World full, List<Move> moves) {
        if (full.left().turn() && full.owner() == Owner.LIVE) {
            World world = full.with(full.left().turned());
            moves.add(told("turn", world, new SagaEvent.TurnRequested(NOW, SagaReason.CANCELLED), false));
            if (bounds.operator()) {
                moves.add(told("turn", world, new SagaEvent.TurnRequested(NOW, SagaReason.OPERATOR), false));
            }
        }
        SagaState state = full.state();
        if (FAR.equals(state.deadline()) && !plan.decided(state) && state.turned() == null) {
            SagaState late =
                    new SagaState(state.status(), state.turned(), state.pending(), state.parked(), NOW, state.steps());
            moves.add(silent(
                    "the deadline comes", full.with(full.left().oneLess()).with(late), false));
        }
    }

    /** When it wants to be woken, but for a deadline that has not come. */
    private @Nullable Duration wakeAt(SagaState state) {
        Duration wake = machine.wakeAt(state);
        return FAR.equals(wake) ? null : wake;
    }

    private static Move told(String label, World before, SagaEvent event, boolean good) {
        return new Move(label, before, List.of(event), good);
    }

    private static Move silent(String label, World after, boolean good) {
        return new Move(label, after, List.of(), good);
    }
}
