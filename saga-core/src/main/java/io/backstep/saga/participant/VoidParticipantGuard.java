package io.backstep.saga.participant;

import io.backstep.saga.SagaRequestException;
import java.time.Duration;

/**
 * A {@link ParticipantGuard} for an operation whose action has no result: it costs one statement less. Immutable, safe for use by many
 * threads.
 */
public final class VoidParticipantGuard {
    private final Guarding guarding;

    VoidParticipantGuard(Guarding guarding) {
        this.guarding = guarding;
    }

    /**
     * The same for effects that are no part of the transaction, as {@link ParticipantGuard#remote}.
     *
     * @param limit for how long an effect may be under way
     * @return a copy
     */
    public VoidParticipantGuard remote(Duration limit) {
        return new VoidParticipantGuard(guarding.remote(limit));
    }

    /**
     * The same, but it compensates also what it knows nothing of, as {@link ParticipantGuard#alwaysCompensating}.
     *
     * @return a copy
     */
    public VoidParticipantGuard alwaysCompensating() {
        return new VoidParticipantGuard(guarding.alwaysCompensating());
    }

    /**
     * Runs the action, unless it was run or compensated.
     *
     * @param operationId the idempotency key of the step, 1 to 200 characters
     * @param effect what to do
     * @throws OperationRefusedException when it was compensated, or its compensation came first
     * @throws OperationBusyException when another call is not over; try again later
     * @throws OperationLostException when a remote effect took longer than its limit
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad id, {@code SAGA-GRD-003} when it is another operation's
     * @throws Exception what the effect threw, or the transaction
     */
    public void action(String operationId, Effect effect) throws Exception {
        guarding.action(
                operationId,
                () -> {
                    effect.run();
                    return true;
                },
                Results.NONE);
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
    public CompensationAnswer compensation(String operationId, Effect undo) throws Exception {
        return guarding.compensation(operationId, unused -> undo.run());
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
    public ConfirmationAnswer confirmation(String operationId, Effect effect) throws Exception {
        return guarding.confirmation(operationId, unused -> effect.run());
    }
}
