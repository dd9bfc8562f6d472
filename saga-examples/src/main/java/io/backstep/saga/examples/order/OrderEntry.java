package io.backstep.saga.examples.order;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.util.UUID;

/** An order. Its id is the id of its saga. */
@Entity
@Table(name = "orders")
class OrderEntry {
    @Id
    private UUID id;

    private String customer;
    private String sku;
    private int quantity;
    private BigDecimal amount;

    @Enumerated(EnumType.STRING)
    private OrderStatus status;

    @SuppressWarnings("NullAway.Init") // filled by JPA
    protected OrderEntry() {}

    OrderEntry(UUID id, PlaceOrder order) {
        this.id = id;
        this.customer = order.customer();
        this.sku = order.sku();
        this.quantity = order.quantity();
        this.amount = order.amount();
        this.status = OrderStatus.PENDING;
    }

    OrderState state() {
        return new OrderState(status, customer, sku, quantity, amount);
    }

    void becomes(OrderStatus next) {
        status = next;
    }
}
