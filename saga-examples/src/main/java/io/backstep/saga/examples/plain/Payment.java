package io.backstep.saga.examples.plain;

import java.math.BigDecimal;

/**
 * The result of the payment step, stored with the saga.
 *
 * @param receipt its number
 * @param amount how much was charged
 */
public record Payment(String receipt, BigDecimal amount) {}
