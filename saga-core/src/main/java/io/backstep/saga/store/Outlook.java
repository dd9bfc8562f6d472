package io.backstep.saga.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What there is to do for a node, as of a moment that has passed.
 *
 * @param untilDue how long until the first saga is due that could be claimed then, also when it is another node's and its lease runs
 *     out then; zero when one is due already; null when none will be
 * @param mail whether a sweep has something to do
 */
public record Outlook(@Nullable Duration untilDue, boolean mail) {
    /** Nothing is due, now or later, and there is no mail. */
    public static final Outlook NOTHING = new Outlook(null, false);

    /**
     * Checks the time.
     *
     * @throws IllegalArgumentException for a negative one
     */
    public Outlook {
        if (untilDue != null && untilDue.isNegative()) {
            throw new IllegalArgumentException("due in " + untilDue);
        }
    }

    /**
     * Whether a claim may take something now.
     *
     * @return true also when what is due is locked
     */
    public boolean isDue() {
        return untilDue != null && untilDue.isZero();
    }
}
