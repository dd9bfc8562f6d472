package io.backstep.saga.test.sample;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;

/** Reserves, pays, confirms, ships. */
final class OrderSaga {
    static final SagaType<PlaceOrder> TYPE = SagaType.named("place-order", PlaceOrder.class);
    static final Step<Payment> PAY = Step.named("pay", Payment.class);

    private OrderSaga() {}

    /** What it needs of others. */
    interface Participants {
        void create(String key);

        void reject(String key);

        void reserve(String key, String sku);

        void release(String key);

        Payment charge(String key, int amount);

        void refund(String key);

        void confirm(String key);

        void ship(String key);

        void mail(String key);
    }

    static SagaDefinition<PlaceOrder> definition(Participants others) {
        return Saga.define(TYPE)
                .step("create")
                .transactional()
                .action(c -> others.create(c.idempotencyKey()))
                .compensate(c -> others.reject(c.idempotencyKey()))
                .step("reserve")
                .action(c -> others.reserve(c.idempotencyKey(), c.input().sku()))
                .compensate(c -> others.release(c.idempotencyKey()))
                .step(PAY)
                .action(c -> others.charge(c.idempotencyKey(), c.input().amount()))
                .compensate((c, payment) -> others.refund(c.idempotencyKey()))
                .retry(Retry.exponential(Duration.ofSeconds(1)).maxAttempts(3))
                .timeout(Duration.ofSeconds(5))
                .pivot("confirm")
                .transactional()
                .action(c -> others.confirm(c.idempotencyKey()))
                .retriable("ship")
                .action(c -> others.ship(c.idempotencyKey()))
                .bestEffort("mail")
                .action(c -> others.mail(c.idempotencyKey()))
                .build();
    }
}
