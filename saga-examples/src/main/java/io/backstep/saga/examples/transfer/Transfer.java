package io.backstep.saga.examples.transfer;

/**
 * What is to be transferred.
 *
 * @param reference the sender's own; the same is transferred once
 * @param from an account here
 * @param to an account there
 * @param cents how much, more than zero
 */
public record Transfer(String reference, String from, String to, long cents) {}
