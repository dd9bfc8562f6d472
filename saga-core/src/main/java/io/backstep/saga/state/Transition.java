package io.backstep.saga.state;

import java.util.List;

/**
 * What follows from an event.
 *
 * @param state the next state
 * @param calls what to call after the state is recorded
 * @param facts what goes into the history with it
 * @param suspects steps that have killed their node before and are due: admit one at a time with {@link SagaEvent.Admitted}
 */
public record Transition(SagaState state, List<Call> calls, List<Fact> facts, List<Integer> suspects) {
    /** Copies the lists. */
    public Transition {
        calls = List.copyOf(calls);
        facts = List.copyOf(facts);
        suspects = List.copyOf(suspects);
    }
}
