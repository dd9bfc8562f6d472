package io.backstep.saga.participant;

import io.backstep.saga.Shown;
import io.backstep.saga.StepRejectedException;

/**
 * The action comes after its own compensation, and is refused: nothing was done, and nothing ever will be under this id. A saga that is
 * told so takes it for a no: it must not take it for success. The code is {@code SAGA-GRD-001}.
 */
public final class OperationRefusedException extends StepRejectedException {
    private static final long serialVersionUID = 1L;

    private final String operationId;

    OperationRefusedException(String operation, String operationId) {
        super(
                "SAGA-GRD-001",
                "SAGA-GRD-001: " + operation + " " + Shown.quoted(operationId)
                        + " was compensated already; its action is refused from then on");
        this.operationId = operationId;
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
