package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What is true of one step, whatever the machine believes.
 *
 * @param effect what its action did
 * @param underWay what was handed out to be called and has not ended, or null
 * @param failures attempts of this phase that failed
 * @param interruptions attempts of this phase that a shutdown interrupted
 * @param takeovers attempts of this phase whose node was lost
 */
record Truth(Effect effect, @Nullable Phase underWay, int failures, int interruptions, int takeovers) {
    static final Truth NEW = new Truth(Effect.NONE, null, 0, 0, 0);

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

    Truth with(Effect now) {
        return new Truth(now, underWay, failures, interruptions, takeovers);
    }

    Truth calling(@Nullable Phase phase) {
        return new Truth(effect, phase, failures, interruptions, takeovers);
    }

    Truth failed() {
        return new Truth(effect, null, failures + 1, interruptions, takeovers);
    }

    Truth interrupted() {
        return new Truth(effect, null, failures, interruptions + 1, takeovers);
    }

    Truth takenOver() {
        return new Truth(effect, null, failures, interruptions, takeovers + 1);
    }

    Truth fresh() {
        return new Truth(effect, underWay, 0, 0, 0);
    }
}
