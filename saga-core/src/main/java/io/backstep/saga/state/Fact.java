package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import org.jspecify.annotations.Nullable;

/**
 * Something that goes into the history with the state.
 *
 * @param step the index of the step, or -1 for the saga as a whole
 * @param phase what it is about
 * @param attempt which attempt it was; 0 for the saga as a whole, and when an operator has settled the step
 * @param outcome what became of it
 * @param reason why the saga turned or is parked, else null
 */
public record Fact(
        int step,
        Phase phase,
        int attempt,
        Outcome outcome,
        @Nullable SagaReason reason) {}
