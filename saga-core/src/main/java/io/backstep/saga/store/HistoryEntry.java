package io.backstep.saga.store;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A line of the history to insert. Its {@code seq} is the one that the write gives the row; its {@code ordinal} its place in the
 * list. The store sets {@code started_at} to the database's time less the duration.
 *
 * @param step the name of the step; empty for the saga as a whole
 * @param phase what it is about
 * @param attempt which attempt; 0 for the saga as a whole, and when an operator has settled the step
 * @param outcome how it ended
 * @param reason why the saga turned or is parked, else null
 * @param result the encoded result, or null
 * @param errorCode the service's code of a rejection, or the class of an exception, or null
 * @param errorText for people, already cut and cleaned, or null
 * @param duration how long the attempt took
 * @param node the id of the node, without incarnation
 */
public record HistoryEntry(
        String step,
        Phase phase,
        int attempt,
        Outcome outcome,
        @Nullable SagaReason reason,
        @Nullable String result,
        @Nullable String errorCode,
        @Nullable String errorText,
        Duration duration,
        String node) {
    /**
     * Whether it completes its step: its action succeeded, or its probe found that it had.
     *
     * @return true when {@link #result()} is the step's
     */
    public boolean completes() {
        return outcome == Outcome.SUCCEEDED && (phase == Phase.ACTION || phase == Phase.PROBE);
    }
}
