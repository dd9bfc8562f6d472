package io.backstep.saga.simulation;

import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A step as it was drawn. Times are nanoseconds.
 *
 * @param index its place
 * @param name its name
 * @param kind its kind
 * @param undoable whether it has a compensation
 * @param local whether it is transactional
 * @param result whether it has a result
 * @param attempts how many attempts the action has, 0 for ever
 * @param delay the delay before the second attempt
 * @param timeout how long an attempt may take
 * @param undoAttempts how many attempts the compensation has
 * @param undoDelay the delay before its second attempt
 * @param participant who does it, when it is remote
 * @param after the places of the steps that it names to wait for, none for the start; null when it waits for all before it
 * @param asks whether it has a condition
 * @param doubts what it says of doubts
 * @param waits what it waits for, as long as its timeout, instead of calling anybody; or null
 * @param child the type of the saga that it starts, or null
 * @param confirm how it is confirmed, when it is a TCC step; or null
 * @param origin what it is, in whatever version and place: the same operation to whoever does it
 */
record StepShape(
        int index,
        String name,
        StepKind kind,
        boolean undoable,
        boolean local,
        boolean result,
        int attempts,
        long delay,
        long timeout,
        int undoAttempts,
        long undoDelay,
        Participant.Kind participant,
        @Nullable Set<Integer> after,
        boolean asks,
        Doubtful doubts,
        Waiting.@Nullable What waits,
        @Nullable String child,
        @Nullable Confirm confirm,
        int origin) {
    /**
     * How a try is confirmed.
     *
     * @param attempts how many attempts the confirm has, 0 for ever
     * @param delay the delay before the second attempt
     */
    record Confirm(int attempts, long delay) {}

    StepShape placed(@Nullable Set<Integer> others, boolean conditional) {
        Copy changed = new Copy(this);
        changed.after = others;
        changed.asks = conditional;
        return changed.made();
    }

    StepShape doubting(Doubtful said) {
        Copy changed = new Copy(this);
        changed.doubts = said;
        return changed.made();
    }

    /** What it asks before is tried as often as by default. */
    StepShape waiting(Waiting.What what) {
        boolean brings = what == Waiting.What.SIGNAL;
        Copy changed = new Copy(this);
        changed.undoable = false;
        changed.local = false;
        changed.result = brings;
        changed.attempts = kind == StepKind.RETRIABLE ? 0 : 3;
        changed.delay = 200_000_000L;
        changed.doubts = Doubtful.NOT;
        changed.waits = what;
        changed.child = null;
        changed.confirm = null;
        return changed.made();
    }

    /** The same step, starting a saga. */
    StepShape starting(String type) {
        Copy changed = new Copy(this);
        changed.local = false;
        changed.doubts = Doubtful.NOT;
        changed.waits = null;
        changed.child = type;
        changed.confirm = null;
        return changed.made();
    }

    /** The same step, always run, with a result and a compensation. */
    StepShape output() {
        Copy changed = new Copy(this);
        changed.undoable = true;
        changed.result = true;
        changed.asks = false;
        changed.doubts = Doubtful.NOT;
        changed.waits = null;
        changed.confirm = null;
        return changed.made();
    }

    /** The same step, reserving with somebody who knows keys, and refuses what comes too late. */
    StepShape tried(Confirm confirmed, boolean atStart) {
        Copy changed = new Copy(this);
        changed.undoable = true;
        changed.local = false;
        changed.participant = Participant.Kind.GUARDED;
        changed.after = atStart ? Set.of() : after;
        changed.waits = null;
        changed.child = null;
        changed.confirm = confirmed;
        return changed.made();
    }

    /** The same step of a later version. */
    StepShape moved(int place, String called, @Nullable Set<Integer> others) {
        Copy changed = new Copy(this);
        changed.index = place;
        changed.name = called;
        changed.after = others;
        return changed.made();
    }

    boolean tcc() {
        return confirm != null;
    }

    boolean waitsFor(Waiting.What what) {
        return waits == what;
    }

    /** The input of the saga that it starts for one with this input. */
    int childInput(int input) {
        return (origin + 1) * SagaPlan.CHILDREN + input;
    }

    /** What its condition says of a saga with this input. */
    boolean holds(int input) {
        return !asks || Dice.of(input, origin).chance(0.6);
    }

    boolean waitsDirectlyFor(int other) {
        return after == null ? other < index : after.contains(other);
    }

    boolean is(StepKind wanted) {
        return kind == wanted;
    }

    /** Of a step, for one that differs in few things. */
    private static final class Copy {
        private int index;
        private String name;
        private StepKind kind;
        private boolean undoable;
        private boolean local;
        private boolean result;
        private int attempts;
        private long delay;
        private long timeout;
        private int undoAttempts;
        private long undoDelay;
        private Participant.Kind participant;
        private @Nullable Set<Integer> after;
        private boolean asks;
        private Doubtful doubts;
        private Waiting.@Nullable What waits;
        private @Nullable String child;
        private @Nullable Confirm confirm;
        private int origin;

        private Copy(StepShape step) {
            this.index = step.index;
            this.name = step.name;
            this.kind = step.kind;
            this.undoable = step.undoable;
            this.local = step.local;
            this.result = step.result;
            this.attempts = step.attempts;
            this.delay = step.delay;
            this.timeout = step.timeout;
            this.undoAttempts = step.undoAttempts;
            this.undoDelay = step.undoDelay;
            this.participant = step.participant;
            this.after = step.after;
            this.asks = step.asks;
            this.doubts = step.doubts;
            this.waits = step.waits;
            this.child = step.child;
            this.confirm = step.confirm;
            this.origin = step.origin;
        }

        private StepShape made() {
            return new StepShape(
                    index,
                    name,
                    kind,
                    undoable,
                    local,
                    result,
                    attempts,
                    delay,
                    timeout,
                    undoAttempts,
                    undoDelay,
                    participant,
                    after,
                    asks,
                    doubts,
                    waits,
                    child,
                    confirm,
                    origin);
        }
    }
}
