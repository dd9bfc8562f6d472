package io.backstep.saga.store;

import org.jspecify.annotations.Nullable;

/**
 * What became of an insert. Never a failure of the whole batch for one row's sake.
 *
 * @param kind what happened
 * @param existing the saga that is in the way, for {@code EXISTS}
 * @param cause what the database said, for {@code REFUSED} and {@code LOCKED}
 */
public record InsertResult(
        Kind kind, @Nullable InstanceRow existing, @Nullable Throwable cause) {
    /** What may happen. */
    public enum Kind {
        /** It is there now. */
        INSERTED,
        /** One with the same type and business key, or else the same id, was there before and is visible. */
        EXISTS,
        /** The same, but the isolation of the caller's transaction hides it. */
        EXISTS_UNSEEN,
        /** The database refused the data of this row. */
        REFUSED,
        /** An open transaction has inserted the same, or what is in the way could not be read; nothing of this row was written; try again. */
        LOCKED
    }

    /** The result of an insert that was done. */
    public static final InsertResult INSERTED = new InsertResult(Kind.INSERTED, null, null);
}
