package io.backstep.saga.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a write does to owner and due time.
 *
 * @param kind what it does
 * @param duration how long from now, for EXTEND (the lease) and RELEASE (until it is due)
 */
public record Hold(Kind kind, @Nullable Duration duration) {
    /** What a write may do to owner and due time. */
    public enum Kind {
        /** Leaves both. */
        KEEP,
        /** Leaves the owner, sets the due time to the end of a new lease. */
        EXTEND,
        /** Nulls the owner, sets the due time. */
        RELEASE,
        /** Nulls both: ended or parked. */
        END
    }

    /** Leaves owner and due time. */
    public static final Hold KEEP = new Hold(Kind.KEEP, null);

    /** Nulls owner and due time. */
    public static final Hold END = new Hold(Kind.END, null);

    /**
     * Gives the saga back.
     *
     * @param due how long until it is due
     * @return the hold
     */
    public static Hold release(Duration due) {
        return new Hold(Kind.RELEASE, due);
    }

    /**
     * Renews the lease along with the write.
     *
     * @param lease how long
     * @return the hold
     */
    public static Hold extend(Duration lease) {
        return new Hold(Kind.EXTEND, lease);
    }
}
