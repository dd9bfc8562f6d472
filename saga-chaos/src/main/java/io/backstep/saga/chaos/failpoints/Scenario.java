package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.chaos.Shapes;
import java.util.Set;

/** A shape of sagas, and what is done with one of it. */
enum Scenario {
    COMPLETING(Shapes.COMPLETING, "COMPLETED"),
    REJECTED(Shapes.REJECTED, "COMPENSATED"),
    UNKNOWN(Shapes.UNKNOWN, "COMPENSATED"),
    TRANSACTIONAL(Shapes.TRANSACTIONAL, "COMPLETED"),
    TRANSACTIONAL_REJECTED(Shapes.TRANSACTIONAL_REJECTED, "COMPENSATED"),
    PIVOT(Shapes.PIVOT, "COMPLETED"),
    BEST_EFFORT(Shapes.BEST_EFFORT, "COMPLETED"),
    UNDO_FAILS(Shapes.UNDO_FAILS, "COMPENSATED"),
    DEADLINE(Shapes.DEADLINE, "COMPENSATED"),
    TCC(Shapes.TCC, "COMPLETED"),
    TCC_REJECTED(Shapes.TCC_REJECTED, "COMPENSATED"),
    BRANCHES(Shapes.BRANCHES, "COMPLETED"),
    /** Is answered once nobody has it. */
    ANSWERED(Shapes.ANSWERED, "COMPLETED"),
    /** Waits, and nobody answers. */
    UNANSWERED(Shapes.UNANSWERED, "COMPENSATED"),
    /** Its child has completed, and is undone with it. */
    PARENT_REJECTED(Shapes.PARENT_REJECTED, "COMPENSATED"),
    PROBED(Shapes.PROBED, "COMPLETED"),
    /** Parks, is mended, and an operator retries its compensation. */
    UNDO_STUCK(Shapes.UNDO_STUCK, "COMPENSATED"),
    /** Is cancelled at once; the wish may come too late when it has to be asked for again. */
    CANCELLED(Shapes.CANCELLED, "COMPENSATED", "COMPLETED"),
    /** Starts in a transaction of the caller's. */
    JOINED(Shapes.COMPLETING, "COMPLETED"),
    /** Starts in a transaction whose commit the engine does not see, so that it is found by looking for due sagas. */
    UNSEEN(Shapes.REJECTED, "COMPENSATED"),
    /** Is purged when it has ended, while another one runs. */
    PURGED(Shapes.TRANSACTIONAL, "COMPLETED"),
    /** The answers of the first commits of progress are lost, so that its owner recovers. */
    AMBIGUOUS(Shapes.COMPLETING, "COMPLETED");

    private final String shape;
    private final String ends;

    Scenario(String shape, String... ends) {
        this.shape = shape;
        this.ends = String.join(" ", ends);
    }

    String shape() {
        return shape;
    }

    /** The statuses in which its saga may end. */
    Set<String> ends() {
        return Set.of(ends.split(" "));
    }

    /** When a point is armed: what passes before says nothing of the saga. */
    Moment armedAt(String point) {
        String call = point.substring(0, point.indexOf('.'));
        return switch (call) {
            case "register" -> Moment.BEFORE_ENGINE;
            case "claim" -> this == UNSEEN ? Moment.BEFORE_START : Moment.STARTED;
            case "sweepMail" -> this == CANCELLED || this == ANSWERED ? Moment.BEFORE_REQUEST : Moment.STARTED;
            default -> Moment.BEFORE_START;
        };
    }

    /** The moments of a case. */
    enum Moment {
        BEFORE_ENGINE,
        BEFORE_START,
        STARTED,
        BEFORE_REQUEST
    }
}
