package io.backstep.saga.examples.plain;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;

/** The order saga. */
public final class OrderSaga {
    /** Its type. */
    public static final SagaType<PlaceOrder> TYPE = SagaType.named("plain-order", PlaceOrder.class);

    /** Takes the money. */
    public static final Step<Payment> PAY = Step.named("pay", Payment.class);

    private OrderSaga() {}

    static SagaDefinition<PlaceOrder> definition(Orders orders, Inventory inventory, Payments payments, Mail mail) {
        return Saga.define(TYPE)
                .step("create-order")
                .transactional()
                .action(c -> orders.create(c.sagaId(), c.input()))
                .compensate(c -> orders.reject(c.sagaId()))
                .step("reserve")
                .action(c -> inventory.reserve(
                        c.idempotencyKey(), c.input().sku(), c.input().quantity()))
                .compensate(c -> inventory.release(c.idempotencyKey()))
                .step(PAY)
                .action(c -> payments.charge(
                        c.idempotencyKey(), c.input().card(), c.input().amount()))
                .compensate((c, payment) -> payments.refund(c.idempotencyKey()))
                .retry(Retry.exponential(Duration.ofMillis(200)).maxAttempts(5))
                .timeout(Duration.ofSeconds(5))
                .pivot("confirm-order")
                .transactional()
                .action(c -> orders.confirm(c.sagaId()))
                .bestEffort("mail")
                .action(c -> mail.confirmation(c.idempotencyKey(), c.input().reference(), c.result(PAY)))
                .deadline(Duration.ofMinutes(10))
                .build();
    }
}
