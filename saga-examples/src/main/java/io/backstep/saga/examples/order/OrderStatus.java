package io.backstep.saga.examples.order;

/** Where an order stands, for its customer. */
public enum OrderStatus {
    /** Received, not decided. */
    PENDING,
    /** It will be delivered, whatever happens. */
    CONFIRMED,
    /** It has left the house. */
    SHIPPED,
    /** It will not be delivered. */
    REJECTED
}
