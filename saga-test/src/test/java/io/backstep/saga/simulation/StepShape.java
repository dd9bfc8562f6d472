package io.backstep.saga.simulation;

import io.backstep.saga.definition.StepKind;

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
        Participant.Kind participant) {
    boolean is(StepKind wanted) {
        return kind == wanted;
    }
}
