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
                others,
                conditional,
                doubts,
                waits,
                child,
                confirm,
                origin);
    }

    StepShape doubting(Doubtful said) {
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
                said,
                waits,
                child,
                confirm,
                origin);
    }

    /** What it asks before is tried as often as by default. */
    StepShape waiting(Waiting.What what) {
        boolean brings = what == Waiting.What.SIGNAL;
        return new StepShape(
                index,
                name,
                kind,
                false,
                false,
                brings,
                kind == StepKind.RETRIABLE ? 0 : 3,
                200_000_000L,
                timeout,
                undoAttempts,
                undoDelay,
                participant,
                after,
                asks,
                Doubtful.NOT,
                what,
                null,
                null,
                origin);
    }

    /** The same step, starting a saga. */
    StepShape starting(String type) {
        return new StepShape(
                index,
                name,
                kind,
                undoable,
                false,
                result,
                attempts,
                delay,
                timeout,
                undoAttempts,
                undoDelay,
                participant,
                after,
                asks,
                Doubtful.NOT,
                null,
                type,
                null,
                origin);
    }

    /** The same step, always run, with a result and a compensation. */
    StepShape output() {
        return new StepShape(
                index,
                name,
                kind,
                true,
                local,
                true,
                attempts,
                delay,
                timeout,
                undoAttempts,
                undoDelay,
                participant,
                after,
                false,
                Doubtful.NOT,
                null,
                child,
                null,
                origin);
    }

    /** The same step, reserving with somebody who knows keys, and refuses what comes too late. */
    StepShape tried(Confirm confirmed, boolean atStart) {
        return new StepShape(
                index,
                name,
                kind,
                true,
                false,
                result,
                attempts,
                delay,
                timeout,
                undoAttempts,
                undoDelay,
                Participant.Kind.GUARDED,
                atStart ? Set.of() : after,
                asks,
                doubts,
                null,
                null,
                confirmed,
                origin);
    }

    /** The same step of a later version. */
    StepShape moved(int place, String called, @Nullable Set<Integer> others) {
        return new StepShape(
                place,
                called,
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
                others,
                asks,
                doubts,
                waits,
                child,
                confirm,
                origin);
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
}
