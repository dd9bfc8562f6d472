package io.backstep.saga.store;

/**
 * Another version of its definition for a saga, with the data that fits it.
 *
 * @param definition the version; of the same type
 * @param input the encoded input
 * @param inputHash what inputs are compared by, 64 hexadecimal digits
 */
public record NewVersion(RegisteredDefinition definition, String input, String inputHash) {}
