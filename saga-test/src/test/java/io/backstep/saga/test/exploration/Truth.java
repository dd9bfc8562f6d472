package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is true of one step, whatever the machine believes.
 *
 * @param answer what its condition has answered
 * @param effect what its action did
 * @param underWay what was handed out to be called and has not ended, or null
 * @param failures attempts of this phase that failed
 * @param interruptions attempts of this phase that a shutdown interrupted
 * @param takeovers attempts of this phase whose node was lost
 * @param waitsUntil when its wait is up, while it waits; or null
 */
record Truth(
        Answer answer,
        Effect effect,
        @Nullable Phase underWay,
        int failures,
        int interruptions,
        int takeovers,
        @Nullable Duration waitsUntil) {
    static final Truth NEW = new Truth(Answer.OPEN, Effect.NONE, null, 0, 0, 0, null);

    /** The number of the attempt that is under way, or comes next. */
    int attempt() {
        return failures + interruptions + takeovers + 1;
    }

    boolean suspect() {
        return takeovers >= 2;
    }

    boolean mayBeThere() {
        return effect == Effect.POSSIBLE || effect == Effect.APPLIED;
    }

    boolean waits() {
        return waitsUntil != null;
    }

    Truth waiting(@Nullable Duration until) {
        return new Truth(answer, effect, underWay, failures, interruptions, takeovers, until);
    }

    Truth with(Answer now) {
        return new Truth(now, effect, underWay, failures, interruptions, takeovers, waitsUntil);
    }

    Truth with(Effect now) {
        return new Truth(answer, now, underWay, failures, interruptions, takeovers, waitsUntil);
    }

    Truth calling(@Nullable Phase phase) {
        return new Truth(answer, effect, phase, failures, interruptions, takeovers, waitsUntil);
    }

    Truth failed() {
        return new Truth(answer, effect, null, failures + 1, interruptions, takeovers, waitsUntil);
    }

    Truth interrupted() {
        return new Truth(answer, effect, null, failures, interruptions + 1, takeovers, waitsUntil);
    }

    Truth takenOver() {
        return new Truth(answer, effect, null, failures, interruptions, takeovers + 1, waitsUntil);
    }

    Truth fresh() {
        return new Truth(answer, effect, underWay, 0, 0, 0, waitsUntil);
    }
}
