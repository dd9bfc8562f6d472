package io.backstep.saga.examples.tcc;

/**
 * Money that is held in a wallet.
 *
 * @param customer whose
 * @param cents how much
 */
public record Held(String customer, long cents) {}
