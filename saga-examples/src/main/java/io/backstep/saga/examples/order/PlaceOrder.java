package io.backstep.saga.examples.order;

import java.math.BigDecimal;

/**
 * The input of the saga: what a customer wants.
 *
 * @param customer who, and where the confirmation goes
 * @param sku what
 * @param quantity how many
 * @param amount what it costs in all
 * @param card what it is paid with; some cards make the payment go wrong
 */
public record PlaceOrder(String customer, String sku, int quantity, BigDecimal amount, String card) {}
