package io.backstep.saga.store;

/**
 * A version of a definition, as the store knows it.
 *
 * @param definitionId the id of this version
 * @param typeId the id that all versions of the type share
 * @param name the name of the type
 * @param version the version
 * @param fingerprint the fingerprint that was stored first
 */
public record RegisteredDefinition(int definitionId, int typeId, String name, int version, String fingerprint) {}
