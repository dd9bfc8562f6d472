package io.backstep.saga.examples.order;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StepView;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An order and its saga, as shown to the outside.
 *
 * @param orderId the id of both
 * @param reference the customer's name for it
 * @param order the order itself, once it is written down
 * @param saga the saga's status
 * @param reason why the saga turned or is parked
 * @param steps the steps in order
 * @param log the saga log: every attempt, and what became of the saga
 * @param compensations the compensation log
 */
public record OrderView(
        UUID orderId,
        @Nullable String reference,
        @Nullable OrderState order,
        SagaStatus saga,
        @Nullable SagaReason reason,
        List<StepView> steps,
        List<LogLine> log,
        List<UndoLine> compensations) {

    static OrderView of(
            SagaInstance saga, @Nullable OrderState order, List<LogLine> log, List<UndoLine> compensations) {
        return new OrderView(
                saga.sagaId(),
                saga.businessKey(),
                order,
                saga.status(),
                saga.reason(),
                saga.steps(),
                log,
                compensations);
    }
}
