package io.backstep.saga.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one saga on this node, any number of them at once. A transactional one is the one write outstanding, so it waits here
 * until nothing else is written, and of several one runs after the other. Used in the saga's queue only.
 */
final class Attempts {
    private final List<Attempt> open = new ArrayList<>();

    /** The transactional one that was let go: until its end nothing else may be written. */
    private @Nullable Attempt writing;

    private volatile boolean alone;

    boolean writing() {
        return writing != null;
    }

    /** Whether another than this one is the write outstanding. */
    boolean writingBeside(Attempt one) {
        return writing != null && writing != one;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    void add(Attempt attempt) {
        open.add(attempt);
        if (!attempt.transactional()) {
            attempt.queue();
        }
    }

    /** Whether the transactional one was let go without siblings beside it; none comes meanwhile. Its worker may ask, too. */
    boolean alone() {
        return alone;
    }

    /** Nothing is written: the next transactional one may begin. */
    void nextTransactional() {
        alone = open.size() == 1;
        for (Attempt attempt : open) {
            if (attempt.transactional()) {
                writing = attempt;
                attempt.queue();
                return;
            }
        }
    }

    void ended(Attempt attempt) {
        open.remove(attempt);
        if (writing == attempt) {
            writing = null;
        }
    }

    List<Attempt> all() {
        return List.copyOf(open);
    }

    boolean none(int step) {
        return open.stream().noneMatch(attempt -> attempt.call().step() == step);
    }
}
