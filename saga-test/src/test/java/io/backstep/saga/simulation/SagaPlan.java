package io.backstep.saga.simulation;

import org.jspecify.annotations.Nullable;

/**
 * A saga that is to be started.
 *
 * @param index its number, and its input
 * @param type the name of its type
 * @param at when
 * @param key its business key, or null
 * @param starts how many clients start it
 * @param joined whether its start joins a transaction of the caller's
 * @param rolledBack whether that transaction is rolled back
 * @param rejectedAt the step whose participant says no, or -1
 * @param stuckAt the step whose action always fails, or -1
 * @param undoStuckAt the step whose compensation always fails, or -1
 * @param killsAt the step that kills its node whenever it is called, as long as there are faults, or -1
 * @param cancelAt when a client cancels it, or null
 * @param crowded whether its clients come with others, to the same node
 * @param beginsAt when its first step may begin, or null for at once
 */
record SagaPlan(
        int index,
        String type,
        long at,
        @Nullable String key,
        int starts,
        boolean joined,
        boolean rolledBack,
        int rejectedAt,
        int stuckAt,
        int undoStuckAt,
        int killsAt,
        @Nullable Long cancelAt,
        boolean crowded,
        @Nullable Long beginsAt) {
    /** Inputs from here on are of children; the rest tells for which saga. */
    static final int CHILDREN = 1000;
}
