package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.SagaEvent;
import java.util.List;

/** What children and parents tell. That a child is parked is not told: then nobody moves. */
final class ChildMoves {
    private ChildMoves() {}

    /** Also those that are told twice, or too late. */
    static void ends(Plan plan, World world, List<Move> moves) {
        plan.steps().filter(step -> world.truth(step).children() > 0).forEach(step -> {
            Child child = world.truth(step).child();
            moves.add(ended(world, step, false, child == Child.RUNS));
            if (child != Child.RUNS) {
                moves.add(ended(world, step, true, child == Child.GOES_BACK));
            } else if (world.left().any()) {
                moves.add(ended(world.with(world.left().oneLess()), step, true, false));
            }
        });
    }

    private static Move ended(World world, int step, boolean undone, boolean good) {
        return new Move("child", world, List.of(new SagaEvent.ChildEnded(Moves.NOW, step, undone, "end")), good);
    }

    /** A saga that has completed is undone by a write that anybody makes who finds that wish. */
    static void takenBack(World world, List<Move> moves) {
        if (world.state().status() == SagaStatus.COMPLETED && world.left().turn()) {
            Left left = world.left();
            World once = world.with(new Left(left.faults(), false, left.retry(), left.stuck()));
            SagaEvent wish = new SagaEvent.TurnRequested(Moves.NOW, SagaReason.PARENT);
            moves.add(new Move("taken back", once.with(Owner.OPERATOR), List.of(wish), false));
        }
    }
}
