package io.backstep.saga.examples.order;

/** The payment service says no: nothing was charged, and nothing will be. */
public final class PaymentDeclined extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PaymentDeclined(String message) {
        super(message);
    }
}
