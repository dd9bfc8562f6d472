package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.SagaEvent;
import java.util.ArrayList;
import java.util.List;

/** What an operator may do to a saga that has not ended, with one write. */
final class OperatorMoves {
    private OperatorMoves() {}

    /** That he ends it leads nowhere, so it can be tried in every world. */
    static void add(World world, boolean all, List<Move> moves) {
        World his = world.with(Owner.OPERATOR).withSuspects(List.of());
        List<SagaEvent> withdrawals = withdrawals(world);
        moves.add(new Move("ended", his, with(withdrawals, new SagaEvent.ForceCompleted(Moves.NOW)), false));
        if (!all) {
            return;
        }
        boolean parked = world.state().status() == SagaStatus.FAILED;
        if (!parked && world.left().retry()) {
            SagaEvent stuck = new SagaEvent.Stuck(Moves.NOW, -1, SagaReason.OPERATOR);
            List<SagaEvent> events = with(with(withdrawals, stuck), new SagaEvent.Retried(Moves.NOW));
            moves.add(new Move("retried by force", his.with(world.left().retried()), events, false));
        }
        if (world.left().any() && world.left().turn() && world.state().turned() == null) {
            turned(world, his.with(world.left().turned()), moves);
        }
    }

    /** While a node has it, the wish is mail. */
    private static void turned(World world, World his, List<Move> moves) {
        SagaEvent wish = new SagaEvent.TurnRequested(Moves.NOW, SagaReason.OPERATOR);
        if (world.owner() == Owner.LOST || world.owner() == Owner.RELEASED) {
            SagaEvent claimed = new SagaEvent.Claimed(Moves.NOW, world.owner() == Owner.LOST);
            moves.add(new Move("turned while nobody has it", his, List.of(claimed, wish), false));
        } else if (world.state().status() == SagaStatus.FAILED && world.left().retry()) {
            World once = his.with(his.left().retried());
            moves.add(new Move("turned while parked", once, List.of(new SagaEvent.Retried(Moves.NOW), wish), false));
        }
    }

    /** Nothing that a saga intends was called while nobody has it. */
    private static List<SagaEvent> withdrawals(World world) {
        List<SagaEvent> events = new ArrayList<>();
        if (world.owner() == Owner.RELEASED) {
            world.underWay()
                    .forEach(step -> events.add(new SagaEvent.Withdrawn(
                            Moves.NOW, step, world.truth(step).underWay())));
        }
        return events;
    }

    private static List<SagaEvent> with(List<SagaEvent> events, SagaEvent last) {
        List<SagaEvent> longer = new ArrayList<>(events);
        longer.add(last);
        return longer;
    }
}
