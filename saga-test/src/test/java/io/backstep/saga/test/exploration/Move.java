package io.backstep.saga.test.exploration;

import io.backstep.saga.state.SagaEvent;
import org.jspecify.annotations.Nullable;

/**
 * One thing that may happen next.
 *
 * @param label for people
 * @param before the world when the machine is told; for a move that the machine is not told of, the world after it
 * @param event what the machine is told, or null
 * @param good whether nothing goes wrong with it: a saga must end, or park, by good moves alone
 */
record Move(String label, World before, @Nullable SagaEvent event, boolean good) {
    @Override
    public String toString() {
        return event == null ? label : label + " " + event;
    }
}
