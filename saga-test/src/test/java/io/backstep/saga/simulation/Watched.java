package io.backstep.saga.simulation;

import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the checker remembers of one saga. */
final class Watched {
    Shape shape;
    Model model;
    final List<HistoryRow> lines = new ArrayList<>();
    InstanceRow row;
    int audits;
    /** The epoch with which it was last taken from a node that had not given it back. */
    long stolen;

    /** Since when the owner may not know that it is none any more, by an operator's force. */
    boolean forced;

    boolean moved;
    boolean cancelAsked;
    boolean compensateAsked;
    boolean undoAsked;
    /** The seq of the last write that its owner does not know about, or -1. */
    long inDoubt = -1;

    boolean inDoubtIsWork;
    /** Whether other sagas' writes were in the same commit. */
    boolean inDoubtInABatch;
    /** When the mail that is not merged yet was committed, in virtual time. */
    long mailAt = Long.MAX_VALUE;

    /** Of each step, before when it cannot have come to its end, once it has; by the database's clock. */
    @Nullable
    Instant[] notEndedBefore;

    /** Of each step whose time was up once, when that was recorded. */
    @Nullable
    Instant[] waitsAgainFrom;

    Watched(Shape shape, InstanceRow row) {
        this.shape = shape;
        this.model = new Model(shape, Integer.parseInt(row.input()));
        this.row = row;
        this.notEndedBefore = new Instant[shape.steps().size()];
        this.waitsAgainFrom = new Instant[shape.steps().size()];
    }

    void move(Shape to, Predicate<StepShape> hasBegun) {
        Model after = model.moved(to, hasBegun);
        @Nullable Instant[] ended = new Instant[to.steps().size()];
        @Nullable Instant[] again = new Instant[to.steps().size()];
        for (StepShape step : to.steps()) {
            StepShape was = shape.same(step);
            if (was != null) {
                ended[step.index()] = notEndedBefore[was.index()];
                again[step.index()] = waitsAgainFrom[was.index()];
            }
        }
        moved = true;
        shape = to;
        model = after;
        notEndedBefore = ended;
        waitsAgainFrom = again;
    }
}
