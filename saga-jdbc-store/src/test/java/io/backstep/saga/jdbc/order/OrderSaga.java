package io.backstep.saga.jdbc.order;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.jdbc.JdbcTransactions;
import java.time.Duration;

/** The order saga, with two transactional steps, two remote ones, and a tail. */
final class OrderSaga {
    record PlaceOrder(int quantity, int amount, boolean declined) {}

    record Receipt(String key) {}

    static final SagaType<PlaceOrder> TYPE = SagaType.named("place-order", PlaceOrder.class);
    static final Step<Receipt> RESERVE = Step.named("reserve-inventory", Receipt.class);
    static final Step<Receipt> PAY = Step.named("process-payment", Receipt.class);

    private OrderSaga() {}

    static SagaDefinition<PlaceOrder> definition(OrderParticipants far, JdbcTransactions transactions) {
        Retry soon = Retry.fixed(Duration.ofMillis(20)).maxAttempts(5);
        return Saga.define(TYPE)
                .step("create-order")
                .transactional()
                .action(c -> OrderParticipants.update(
                        transactions.connection(),
                        "insert into orders values (?, 'PENDING', 1, 0, 0)"
                                + " on conflict (saga_id) do update set created = orders.created + 1",
                        c.sagaId()))
                .compensate(c -> OrderParticipants.update(
                        transactions.connection(),
                        "update orders set status = 'REJECTED', rejected = rejected + 1 where saga_id = ?",
                        c.sagaId()))
                .step(RESERVE)
                .action(c -> {
                    far.reserve(c.sagaId(), c.idempotencyKey(), c.input().quantity());
                    return new Receipt(c.idempotencyKey());
                })
                .compensate((c, receipt) -> far.release(c.sagaId(), c.idempotencyKey()))
                .retry(soon)
                .step(PAY)
                .action(c -> {
                    far.charge(
                            c.sagaId(),
                            c.idempotencyKey(),
                            c.input().amount(),
                            c.input().declined());
                    return new Receipt(c.idempotencyKey());
                })
                .compensate((c, receipt) -> far.refund(c.sagaId(), c.idempotencyKey()))
                .retry(soon)
                .pivot("confirm-order")
                .transactional()
                .action(c -> OrderParticipants.update(
                        transactions.connection(),
                        "update orders set status = 'CONFIRMED', confirmed = confirmed + 1 where saga_id = ?",
                        c.sagaId()))
                .retriable("ship")
                .action(c -> far.ship(c.sagaId(), c.idempotencyKey(), c.input().quantity()))
                .bestEffort("send-confirmation")
                .action(c -> {})
                .build();
    }
}
