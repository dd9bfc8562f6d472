package io.backstep.saga.participant;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an operation.
 *
 * @param operation what is done under its id
 * @param state how far it is
 * @param token of the call that made it so
 * @param result the action's, as JSON, or null when it has none or none is known
 */
public record GuardRow(
        String operation,
        GuardState state,
        UUID token,
        @Nullable String result) {}
