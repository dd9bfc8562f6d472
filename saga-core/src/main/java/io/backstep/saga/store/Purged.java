package io.backstep.saga.store;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a purge has done.
 *
 * @param sagas how many sagas it deleted
 * @param last the last id of the slice, or null when the slice was the last one
 */
public record Purged(int sagas, @Nullable UUID last) {}
