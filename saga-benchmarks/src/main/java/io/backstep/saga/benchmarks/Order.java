package io.backstep.saga.benchmarks;

import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.function.Consumer;

/** The input of the measured saga: about 200 bytes of JSON. */
record Order(String reference, String customer, String sku, int quantity, String amount, String address) {
    static final SagaType<Order> TYPE = SagaType.named("benchmark-order", Order.class);

    static Order named(String reference) {
        return new Order(
                reference,
                "customer-0123456789@example.org",
                "a-book-of-many-pages",
                2,
                "1234.50",
                "17 Long Street, 12345 A Town With A Name, Some Country");
    }

    /** Four remote steps whose participants do nothing; only {@code pay} may wait. */
    static SagaDefinition<Order> definition(Consumer<Order> pay) {
        return definition(pay, order -> {});
    }

    /** Four remote steps. */
    static SagaDefinition<Order> definition(Consumer<Order> pay, Consumer<Order> others) {
        return Saga.define(TYPE)
                .step("reserve")
                .action(c -> others.accept(c.input()))
                .compensate(c -> {})
                .step("pay")
                .action(c -> pay.accept(c.input()))
                .compensate(c -> {})
                .timeout(Duration.ofHours(1))
                .pivot("confirm")
                .action(c -> others.accept(c.input()))
                .retriable("ship")
                .action(c -> others.accept(c.input()))
                .build();
    }
}
