package io.backstep.saga.examples.order;

import java.math.BigDecimal;

/**
 * Money that was received.
 *
 * @param paymentId the payment service's id
 * @param amount how much
 */
public record Payment(String paymentId, BigDecimal amount) {}
