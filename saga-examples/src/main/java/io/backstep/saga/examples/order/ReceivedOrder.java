package io.backstep.saga.examples.order;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;

/** That a customer asked for something: written in the transaction that starts the saga. */
@Entity
@Table(name = "received_order")
class ReceivedOrder {
    @Id
    private String reference;

    private UUID orderId;

    @SuppressWarnings("unused") // queries sort by it
    private Instant receivedAt;

    @SuppressWarnings("NullAway.Init") // filled by JPA
    protected ReceivedOrder() {}

    ReceivedOrder(String reference, UUID orderId, Instant receivedAt) {
        this.reference = reference;
        this.orderId = orderId;
        this.receivedAt = receivedAt;
    }

    UUID orderId() {
        return orderId;
    }
}
