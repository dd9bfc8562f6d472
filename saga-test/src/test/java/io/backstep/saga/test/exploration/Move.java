package io.backstep.saga.test.exploration;

import io.backstep.saga.state.SagaEvent;
import java.util.List;

/**
 * One thing that may happen next.
 *
 * @param label for people
 * @param before the world when the machine is told; for a move that the machine is not told of, the world after it
 * @param events what the machine is told, in one write; more than one only by an operator
 * @param good whether nothing goes wrong with it: a saga must end, or park, by good moves alone
 */
record Move(String label, World before, List<SagaEvent> events, boolean good) {
    Move {
        events = List.copyOf(events);
    }

    boolean silent() {
        return events.isEmpty();
    }

    boolean byOperator() {
        return before.owner() == Owner.OPERATOR;
    }

    @Override
    public String toString() {
        return silent() ? label : label + " " + events;
    }
}
