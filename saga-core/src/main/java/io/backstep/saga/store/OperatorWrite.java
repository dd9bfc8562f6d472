package io.backstep.saga.store;

import org.jspecify.annotations.Nullable;

/**
 * One write by somebody who does not hold the saga. It raises the epoch, so whoever held it is fenced, and {@code seq}.
 *
 * @param mutation what is written; its fence is the row as it was read, its hold RELEASE or END, and its mail empty
 * @param force whether it is done although somebody's lease lasts
 * @param liftDeadline whether the saga has no deadline any more
 * @param version which version it has from now on, or null for the same
 */
public record OperatorWrite(
        Mutation mutation,
        boolean force,
        boolean liftDeadline,
        @Nullable NewVersion version) {
    /**
     * A write that leaves the version.
     *
     * @param mutation what is written
     * @param force whether it is done although somebody's lease lasts
     * @param liftDeadline whether the saga has no deadline any more
     */
    public OperatorWrite(Mutation mutation, boolean force, boolean liftDeadline) {
        this(mutation, force, liftDeadline, null);
    }
}
