package io.backstep.saga.simulation;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/**
 * One run of one seed.
 *
 * @param seed the seed
 * @param cuts what was left out
 * @param hash the trace's hash: the same for the same seed
 * @param tally what was seen
 * @param events how many events it took
 * @param failure what went wrong, or null
 */
record Run(
        long seed,
        Cuts cuts,
        long hash,
        Tally tally,
        int events,
        @Nullable Throwable failure) {
    static Run of(long seed, Cuts cuts, LoopThread.Crew crew, @Nullable PrintStream traceTo) {
        Trace trace = new Trace(traceTo);
        World world = new World(new Scenario(seed, cuts), trace, crew);
        Throwable failure = null;
        try {
            world.run();
        } catch (Throwable e) {
            failure = e;
        }
        return new Run(seed, cuts, trace.hash(), world.tally, world.loop.executed(), failure);
    }

    /** The name of what does not hold, or null. */
    @Nullable
    String invariant() {
        Throwable thrown = failure;
        if (thrown == null) {
            return null;
        }
        return thrown instanceof Violation violation
                ? violation.invariant
                : thrown.getClass().getSimpleName();
    }
}
