package io.backstep.saga.store;

/**
 * A version of a definition that a node does not know, with sagas that are RUNNING or COMPENSATING, or COMPLETED and to be undone for their
 * parents: they wait for a node that knows it.
 *
 * @param name the name of the type
 * @param version the version
 * @param sagas how many, counted up to a limit
 */
public record UnknownDefinition(String name, int version, int sagas) {}
