package io.backstep.saga.participant;

import java.time.Duration;

/** Makes rows of the in-memory store older, for tests of other packages. */
public final class Aging {
    private Aging() {}

    /**
     * Moves the row's times back.
     *
     * @param store whose row
     * @param operationId which
     * @param by how much
     */
    public static void age(InMemoryGuardStore store, String operationId, Duration by) {
        store.age(operationId, by);
    }
}
