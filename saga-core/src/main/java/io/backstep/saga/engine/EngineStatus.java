package io.backstep.saga.engine;

import org.jspecify.annotations.Nullable;

/**
 * How the engine of this node is.
 *
 * @param running whether it was started and not closed
 * @param held how many sagas it holds
 * @param storeReachable whether the store answered last time
 * @param lastStoreFailure what the store said when it did not answer, or null
 */
public record EngineStatus(
        boolean running,
        int held,
        boolean storeReachable,
        @Nullable String lastStoreFailure) {}
