package io.backstep.saga.state;

import java.util.List;

/**
 * What follows from an event.
 *
 * @param state the next state
 * @param calls what to call after the state is recorded
 * @param facts what goes into the history with it
 * @param suspects steps that have killed their node before and are due: admit one at a time with {@link SagaEvent.Admitted}
 * @param taken the ids of the messages that steps have taken: answers, and ends of children
 * @param early answers that no step waits for yet, though one still may: keep them, and tell them with the events of each write
 */
public record Transition(
        SagaState state,
        List<Call> calls,
        List<Fact> facts,
        List<Integer> suspects,
        List<String> taken,
        List<SagaEvent.Answered> early) {
    /**
     * One without answers.
     *
     * @param state the next state
     * @param calls what to call after the state is recorded
     * @param facts what goes into the history with it
     * @param suspects steps to admit one at a time
     */
    public Transition(SagaState state, List<Call> calls, List<Fact> facts, List<Integer> suspects) {
        this(state, calls, facts, suspects, List.of(), List.of());
    }

    /** Copies the lists. */
    public Transition {
        calls = List.copyOf(calls);
        facts = List.copyOf(facts);
        suspects = List.copyOf(suspects);
        taken = List.copyOf(taken);
        early = List.copyOf(early);
    }
}
