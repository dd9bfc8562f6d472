package io.backstep.saga.participant;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One call of an action or a compensation, as the store is told of it.
 *
 * @param operationId the key that all calls for one step share, 1 to 200 characters
 * @param operation what is done under it, 1 to 100 characters
 * @param token of this call alone: whoever's token is in the row may go on
 * @param whenNew the state of a row that is not there yet
 * @param whenTaken the state of a row that this call takes over
 * @param limit for how long nobody else may take the row over, or null when the transaction that holds it does that
 * @param joined whether the transaction is the caller's: a failure of the store must leave it usable, if the database can
 */
public record GuardCall(
        String operationId,
        String operation,
        UUID token,
        GuardState whenNew,
        GuardState whenTaken,
        @Nullable Duration limit,
        boolean joined) {}
