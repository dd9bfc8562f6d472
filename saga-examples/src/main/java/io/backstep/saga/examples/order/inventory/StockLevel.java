package io.backstep.saga.examples.order.inventory;

/**
 * How much there is of something.
 *
 * @param sku what
 * @param stock how many are in the house, the reserved ones included
 * @param reserved how many of them are set aside for orders that are not decided or not shipped yet
 */
public record StockLevel(String sku, int stock, int reserved) {}
