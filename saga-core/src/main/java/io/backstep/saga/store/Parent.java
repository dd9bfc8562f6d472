package io.backstep.saga.store;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * For whom a child saga was started. Its end is told to the parent, and it is kept as long as the parent is.
 *
 * @param sagaId the saga that waits for it
 * @param step the step of that saga
 * @param output the step of the child whose result is told with its end, or null
 */
public record Parent(UUID sagaId, String step, @Nullable String output) {}
