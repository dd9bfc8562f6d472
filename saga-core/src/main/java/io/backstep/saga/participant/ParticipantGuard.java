package io.backstep.saga.participant;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.Step;
import io.backstep.saga.serialization.Json;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Guards an operation of a participant: its action takes effect at most once for each id, and is undone at most once; whoever asks
 * again is told what the first was told. Called by the participant's own service, with the idempotency key of the step
 * ({@code StepContext.idempotencyKey()}, which action and compensation share) as the operation id. Immutable, safe for use by many
 * threads.
 *
 * <p>The effect runs in the transaction that the guard's row is written in: the calling thread's, or a new one if there is none. So what
 * it writes there, and the row, are committed together or not at all. When the caller commits although the effect has failed, the
 * row stays as "outcome unknown": an action may be tried again, and a compensation undoes it.
 *
 * @param <R> the result of the action
 */
public final class ParticipantGuard<R> {
    private final Step<R> operation;
    private final Guarding guarding;
    private final Json json;
    private final Results<R> results;

    ParticipantGuard(Step<R> operation, Guarding guarding, Json json) {
        this.operation = operation;
        this.guarding = guarding;
        this.json = json;
        this.results = Results.of(operation, json);
    }

    /**
     * The same for effects that are no part of the transaction, such as a call to another service. That the effect has begun is
     * committed before it begins, and its outcome after it has ended; both outside any transaction of the caller's. While it is under
     * way others are told to come back, at most until the limit: then it is taken for lost, a retry calls it again (with the same id), and
     * a compensation undoes it with an empty result. So the effect must have a timeout of its own that is shorter.
     *
     * @param limit for how long an effect may be under way
     * @return a copy
     */
    public ParticipantGuard<R> remote(Duration limit) {
        return new ParticipantGuard<>(operation, guarding.remote(limit), json);
    }

    /**
     * The same, but a compensation is called, once and with an empty result, also when no action is known: for actions that leave
     * something behind when their transaction is rolled back.
     *
     * @return a copy
     */
    public ParticipantGuard<R> alwaysCompensating() {
        return new ParticipantGuard<>(operation, guarding.alwaysCompensating(), json);
    }

    /**
     * Runs the action, unless it was run or compensated.
     *
     * @param operationId the idempotency key of the step, 1 to 200 characters
     * @param effect what to do; its result, which must not be null, is stored as JSON
     * @return the result, or that of the first call
     * @throws OperationRefusedException when it was compensated, or its compensation came first
     * @throws OperationBusyException when another call is not over; try again later
     * @throws OperationLostException when a remote effect took longer than its limit
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad id, {@code SAGA-GRD-003} when it is another operation's
     * @throws Exception what the effect threw, or the transaction
     */
    public R action(String operationId, Callable<R> effect) throws Exception {
        return guarding.action(operationId, effect, results);
    }

    /**
     * Undoes the action, unless it has never been run, or was undone before. An action that comes later is refused.
     *
     * @param operationId the same as the action's
     * @param undo what to do
     * @return how it was
     * @throws OperationRefusedException {@code SAGA-GRD-012} when it was confirmed
     * @throws OperationBusyException when the action or another compensation is not over; try again later
     * @throws OperationLostException when a remote undo took longer than its limit
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad id, {@code SAGA-GRD-003} when it is another operation's
     * @throws Exception what the undo threw, or the transaction
     */
    public CompensationAnswer compensation(String operationId, Undo<R> undo) throws Exception {
        return guarding.compensation(
                operationId, stored -> undo.run(Optional.ofNullable(stored).map(results::read)));
    }

    /**
     * Confirms the action, once: from then on it is never undone. For participants that only hold something until they are told.
     *
     * @param operationId the same as the action's
     * @param effect what to do
     * @return how it was
     * @throws OperationRefusedException {@code SAGA-GRD-010} when it was compensated, {@code SAGA-GRD-011} when no action is known: it is
     *     refused from then on
     * @throws OperationBusyException when the action or another confirmation is not over; try again later
     * @throws OperationLostException when a remote effect took longer than its limit
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad id, {@code SAGA-GRD-003} when it is another operation's
     * @throws Exception what the effect threw, or the transaction
     */
    public ConfirmationAnswer confirmation(String operationId, Confirmation<R> effect) throws Exception {
        return guarding.confirmation(operationId, stored -> effect.run(results.read(stored)));
    }
}
