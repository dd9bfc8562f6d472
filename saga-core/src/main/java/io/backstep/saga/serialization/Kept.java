package io.backstep.saga.serialization;

import org.jspecify.annotations.Nullable;

/**
 * A value as it is stored, and as it will be read.
 *
 * @param json what is written
 * @param copy the value that this reads as, or null when it is JSON's null
 */
public record Kept(String json, @Nullable Object copy) {}
