package io.backstep.saga.examples.order;

import java.math.BigDecimal;

/**
 * An order, as it is written down.
 *
 * @param status where it stands
 * @param customer who
 * @param sku what
 * @param quantity how many
 * @param amount what it costs in all
 */
public record OrderState(OrderStatus status, String customer, String sku, int quantity, BigDecimal amount) {}
