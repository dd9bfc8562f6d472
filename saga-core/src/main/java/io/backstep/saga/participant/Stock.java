package io.backstep.saga.participant;

/**
 * How much there is of an item.
 *
 * @param available what can be reserved, never negative
 * @param frozen what is reserved and neither confirmed nor given back
 */
public record Stock(long available, long frozen) {}
