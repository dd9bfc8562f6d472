package io.backstep.saga.store;

/**
 * One write by somebody who does not hold the saga. It raises the epoch, so whoever held it is fenced, and {@code seq}.
 *
 * @param mutation what is written; its fence is the row as it was read, its hold RELEASE or END, and its mail empty
 * @param force whether it is done although somebody's lease lasts
 * @param liftDeadline whether the saga has no deadline any more
 */
public record OperatorWrite(Mutation mutation, boolean force, boolean liftDeadline) {}
