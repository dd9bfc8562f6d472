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
 * @param child its child
 * @param children how many children were started
 */
record Truth(
        Answer answer,
        Effect effect,
        @Nullable Phase underWay,
        int failures,
        int interruptions,
        int takeovers,
        @Nullable Duration waitsUntil,
        Child child,
        int children) {
    static final Truth NEW = new Truth(Answer.OPEN, Effect.NONE, null, 0, 0, 0, null, Child.NONE, 0);

    /** The number of the attempt that is under way, or comes next. */
    int attempt() {
        return failures + interruptions + takeovers + 1;
    }

    boolean suspect() {
        return takeovers >= 2;
    }

    boolean mayBeThere() {
        return effect == Effect.POSSIBLE || effect == Effect.APPLIED || child == Child.RUNS;
    }

    boolean waits() {
        return waitsUntil != null;
    }

    Truth waiting(@Nullable Duration until) {
        return new Truth(answer, effect, underWay, failures, interruptions, takeovers, until, child, children);
    }

    Truth with(Answer now) {
        return new Truth(now, effect, underWay, failures, interruptions, takeovers, waitsUntil, child, children);
    }

    Truth with(Effect now) {
        return new Truth(answer, now, underWay, failures, interruptions, takeovers, waitsUntil, child, children);
    }

    Truth with(Child now) {
        return new Truth(answer, effect, underWay, failures, interruptions, takeovers, waitsUntil, now, children);
    }

    Truth startingChild() {
        return new Truth(
                answer, effect, underWay, failures, interruptions, takeovers, waitsUntil, Child.RUNS, children + 1);
    }

    Truth calling(@Nullable Phase phase) {
        return new Truth(answer, effect, phase, failures, interruptions, takeovers, waitsUntil, child, children);
    }

    Truth failed() {
        return new Truth(answer, effect, null, failures + 1, interruptions, takeovers, waitsUntil, child, children);
    }

    Truth interrupted() {
        return new Truth(answer, effect, null, failures, interruptions + 1, takeovers, waitsUntil, child, children);
    }

    Truth takenOver() {
        return new Truth(answer, effect, null, failures, interruptions, takeovers + 1, waitsUntil, child, children);
    }

    Truth fresh() {
        return new Truth(answer, effect, underWay, 0, 0, 0, waitsUntil, child, children);
    }
}
