package io.backstep.saga.store;

import org.jspecify.annotations.Nullable;

/**
 * What became of one mutation of a batch that was committed.
 *
 * @param kind what happened
 * @param cause why the row was refused, for {@code REFUSED}
 */
public record Acceptance(Kind kind, @Nullable Throwable cause) {
    /** What may happen. */
    public enum Kind {
        /** Written. */
        ACCEPTED,
        /** The fence does not hold any more: abandon, forget, start nothing. */
        STALE,
        /** The database refused the data of this row; nothing of it was written. */
        REFUSED,
        /** Somebody else has the row locked; nothing of it was written; try again. */
        LOCKED
    }

    /** Written. */
    public static final Acceptance ACCEPTED = new Acceptance(Kind.ACCEPTED, null);

    /** The fence does not hold any more. */
    public static final Acceptance STALE = new Acceptance(Kind.STALE, null);

    /** Somebody else has the row locked. */
    public static final Acceptance LOCKED = new Acceptance(Kind.LOCKED, null);
}
