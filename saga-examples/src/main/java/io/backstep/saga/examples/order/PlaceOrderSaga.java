package io.backstep.saga.examples.order;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.examples.order.inventory.Inventory;
import io.backstep.saga.examples.order.inventory.Reservation;
import java.time.Duration;

/** The order saga. */
public final class PlaceOrderSaga {
    /** Its type. */
    public static final SagaType<PlaceOrder> TYPE = SagaType.named("place-order", PlaceOrder.class);

    /** Sets the goods aside. */
    public static final Step<Reservation> RESERVE = Step.named("reserve-inventory", Reservation.class);

    /** Takes the money. */
    public static final Step<Payment> PAY = Step.named("process-payment", Payment.class);

    private PlaceOrderSaga() {}

    /**
     * Defines it.
     *
     * @param orders the orders, in the engine's own database and transaction
     * @param inventory the inventory, with transactions of its own
     * @param payments the payment service
     * @param mail the mail service
     * @param undo how often a refund and a release are tried
     * @return the definition
     */
    public static SagaDefinition<PlaceOrder> definition(
            Orders orders, Inventory inventory, Payments payments, Mail mail, Retry undo) {
        return Saga.define(TYPE)
                .step("create-order")
                .transactional()
                .action(c -> orders.create(c.sagaId(), c.input()))
                .compensate(c -> orders.reject(c.sagaId()))
                .step(RESERVE)
                .action(c -> inventory.reserve(
                        c.idempotencyKey(), c.input().sku(), c.input().quantity()))
                .compensate((c, reservation) -> inventory.release(c.idempotencyKey()))
                .compensationRetry(undo)
                .step(PAY)
                .action(c -> payments.charge(
                        c.idempotencyKey(), c.input().card(), c.input().amount()))
                .compensate((c, payment) -> payments.refund(c.idempotencyKey()))
                .retry(Retry.exponential(Duration.ofMillis(200)).maxAttempts(5).rejectOn(PaymentDeclined.class))
                .timeout(Duration.ofSeconds(5))
                .compensationRetry(undo)
                .pivot("confirm-order")
                .transactional()
                .action(c -> orders.confirm(c.sagaId()))
                .retriable("ship")
                .action(c -> orders.ship(c.sagaId(), c.result(RESERVE)))
                .bestEffort("send-confirmation")
                .action(c -> mail.confirmation(c.idempotencyKey(), c.input().customer(), c.result(PAY)))
                .deadline(Duration.ofMinutes(10))
                .build();
    }
}
