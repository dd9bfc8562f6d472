package io.backstep.saga.examples.tcc;

/**
 * What is ordered.
 *
 * @param reference the customer's own; the same is ordered once
 * @param customer who pays
 * @param item which
 * @param quantity how many
 * @param cents for all of them
 */
public record Order(String reference, String customer, String item, long quantity, long cents) {}
