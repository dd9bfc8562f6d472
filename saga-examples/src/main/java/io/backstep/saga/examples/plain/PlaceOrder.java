package io.backstep.saga.examples.plain;

import java.math.BigDecimal;

/**
 * The input of the saga: what a customer wants.
 *
 * @param reference the customer's own name for the order; the same reference again is the same order
 * @param sku what
 * @param quantity how many
 * @param amount what it costs in all
 * @param card what it is paid with; the card {@code declined} is declined
 */
public record PlaceOrder(String reference, String sku, int quantity, BigDecimal amount, String card) {}
