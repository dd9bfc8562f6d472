package io.backstep.saga.examples.order.inventory;

/**
 * Goods that are set aside for one order: nobody else can have them, and they are not gone yet.
 *
 * @param key the idempotency key that it was made with, and by which it is released or taken
 * @param sku what
 * @param quantity how many
 */
public record Reservation(String key, String sku, int quantity) {}
