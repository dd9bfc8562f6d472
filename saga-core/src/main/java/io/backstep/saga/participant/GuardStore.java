package io.backstep.saga.participant;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rows of the participant guard: one for each operation id. All methods take part in the transaction of the calling thread
 * and throw {@link IllegalStateException} without one. Rows are never deleted but by {@link #purge}. Safe for use by many threads.
 *
 * <p>{@link #action}, {@link #compensation} and {@link #confirmation} insert first, and never look before. They wait shortly for another transaction that
 * has written the row, and throw {@link OperationBusyException} when it does not end, or when the database lets only one of two
 * transactions go on. Whatever else the database refuses is a {@link io.backstep.saga.store.SagaStoreException}.
 */
public interface GuardStore {
    /**
     * Inserts the row of an action. One that is there is taken over when it is STARTED by the same operation and its time is up.
     *
     * @param call the call
     * @return the row as it is now; it has the call's token if the call has inserted it or taken it over
     */
    GuardRow action(GuardCall call);

    /**
     * Inserts the row of a compensation. One that is there is taken over when it is of the same operation and DONE, or STARTED or
     * COMPENSATING and its time is up; it keeps its result.
     *
     * @param call the call
     * @return the row as it is now; it has the call's token if the call has inserted it or taken it over
     */
    GuardRow compensation(GuardCall call);

    /**
     * Inserts the row of a confirmation that found nothing. One that is there is taken over when it is of the same operation and DONE, or
     * CONFIRMING and its time is up; it keeps its result.
     *
     * @param call the call
     * @return the row as it is now; it has the call's token if the call has inserted it or taken it over
     */
    GuardRow confirmation(GuardCall call);

    /**
     * Ends a call, or gives back what it has taken: the row's time is up from then on.
     *
     * @param operationId whose row
     * @param token the call's
     * @param from the state that the call has left it in
     * @param to the state that it is to have
     * @param result the action's, as JSON, or null to leave it as it is
     * @return false when another call has taken the row over: nothing is changed then
     */
    boolean settle(String operationId, UUID token, GuardState from, GuardState to, @Nullable String result);

    /**
     * Keeps the result of a call in the transaction that has written its row, and that is committed next: nobody reads the row before. A
     * store may send it with the commit.
     *
     * @param operationId whose row
     * @param token the call's
     * @param state where it stands, and stays
     * @param result what to keep
     * @return false when the row is not there, or not like that, as far as that is known: the transaction can only be rolled back
     */
    default boolean keep(String operationId, UUID token, GuardState state, String result) {
        return settle(operationId, token, state, state, result);
    }

    /**
     * Whether the row is still as a call has left it in this transaction. Asked after an effect when nothing more is written: a
     * database may have taken the whole transaction back when a statement of the effect failed, and the effect may have hidden that. A
     * store that knows that nothing has failed need not look.
     *
     * @param operationId whose row
     * @param token the call's
     * @param state the state that the call has left it in
     * @return false when the row is not there, or not like that: the transaction can only be rolled back
     */
    boolean isKept(String operationId, UUID token, GuardState state);

    /**
     * Deletes rows that nobody has changed for a while, the oldest first.
     *
     * @param age how long ago they were changed last, at least
     * @param limit how many at most
     * @return how many were found; fewer than the limit when no more are left
     */
    int purge(Duration age, int limit);
}
