package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;

/** The saga of the documentation, as a user writes it. */
public final class PlaceOrderSaga {
    public static final SagaType<PlaceOrder> TYPE = SagaType.named("place-order", PlaceOrder.class);
    public static final Step<Reservation> RESERVE = Step.named("reserve-inventory", Reservation.class);
    public static final Step<Payment> PAY = Step.named("process-payment", Payment.class);

    private PlaceOrderSaga() {}

    public static SagaDefinition<PlaceOrder> definition(
            Orders orders, Inventory inventory, Payments payments, Mail mail) {
        return Saga.define(TYPE)
                .step("create-order")
                .transactional()
                .action(c -> orders.create(c.sagaId(), c.input()))
                .compensate(c -> orders.reject(c.sagaId()))
                .step(RESERVE)
                .action(c -> inventory.reserve(
                        c.idempotencyKey(), c.input().sku(), c.input().quantity()))
                .compensate((c, reservation) -> inventory.release(c.idempotencyKey()))
                .step(PAY)
                .action(c -> payments.charge(c.idempotencyKey(), c.input().amount()))
                .compensate((c, payment) -> payments.refund(c.idempotencyKey()))
                .retry(Retry.exponential(Duration.ofMillis(200)).maxAttempts(5).rejectOn(PaymentDeclined.class))
                .timeout(Duration.ofSeconds(5))
                .pivot("confirm-order")
                .transactional()
                .action(c -> orders.confirm(c.sagaId()))
                .retriable("ship")
                .action(c -> orders.ship(c.sagaId()))
                .bestEffort("send-confirmation")
                .action(c -> mail.confirmation(c.sagaId(), c.result(PAY)))
                .deadline(Duration.ofMinutes(10))
                .build();
    }

    public record PlaceOrder(String sku, int quantity, long amount) {}

    public record Reservation(String id) {}

    public record Payment(String id) {}

    public static final class PaymentDeclined extends Exception {
        private static final long serialVersionUID = 1L;
    }

    public interface Orders {
        /** Returns something, which a step without a result forgets. */
        UUID create(UUID id, PlaceOrder order);

        void reject(UUID id);

        void confirm(UUID id);

        void ship(UUID id) throws IOException;
    }

    public interface Inventory {
        Reservation reserve(String key, String sku, int quantity) throws IOException;

        void release(String key) throws IOException;
    }

    public interface Payments {
        Payment charge(String key, long amount) throws PaymentDeclined;

        boolean refund(String key);
    }

    public interface Mail {
        void confirmation(UUID id, Payment payment);
    }
}
