package io.backstep.saga.chaos;

/**
 * The input of every shape.
 *
 * @param number of the key
 */
public record Task(long number) {}
