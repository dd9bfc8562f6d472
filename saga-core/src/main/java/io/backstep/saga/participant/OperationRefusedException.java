package io.backstep.saga.participant;

import io.backstep.saga.Shown;
import io.backstep.saga.StepRejectedException;

/**
 * The call comes after one that rules it out, and is refused: nothing was done, and nothing ever will be by this call under this id. A saga
 * that is told so takes it for a no: it must not take it for success. The code tells which it is: {@code SAGA-GRD-001} an action after
 * its own compensation, {@code SAGA-GRD-010} a confirmation after the compensation, {@code SAGA-GRD-011} a confirmation of what was never
 * done, {@code SAGA-GRD-012} a compensation after the confirmation.
 */
public final class OperationRefusedException extends StepRejectedException {
    private static final long serialVersionUID = 1L;

    private final String operationId;

    private OperationRefusedException(String code, String operation, String operationId, String why) {
        super(code, code + ": " + operation + " " + Shown.quoted(operationId) + " " + why);
        this.operationId = operationId;
    }

    static OperationRefusedException action(String operation, String operationId) {
        String why = "was compensated already; its action is refused from then on";
        return new OperationRefusedException("SAGA-GRD-001", operation, operationId, why);
    }

    static OperationRefusedException confirmation(String operation, String operationId) {
        String why = "was compensated already; it cannot be confirmed any more";
        return new OperationRefusedException("SAGA-GRD-010", operation, operationId, why);
    }

    static OperationRefusedException nothingToConfirm(String operation, String operationId) {
        String why =
                "was never done, or its row is purged; there is nothing to confirm, and its action is refused from now on";
        return new OperationRefusedException("SAGA-GRD-011", operation, operationId, why);
    }

    static OperationRefusedException compensation(String operation, String operationId) {
        String why = "was confirmed already; it is never undone";
        return new OperationRefusedException("SAGA-GRD-012", operation, operationId, why);
    }

    /**
     * Which operation.
     *
     * @return its id
     */
    public String operationId() {
        return operationId;
    }
}
