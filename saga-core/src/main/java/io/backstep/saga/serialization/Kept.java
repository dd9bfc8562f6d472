package io.backstep.saga.serialization;

import org.jspecify.annotations.Nullable;

/**
 * A value as it is stored, and as it will be read.
 *
 * @param json what is written
 * @param copy the value that this reads as, or null when it is JSON's null
 */
public record Kept(String json, @Nullable Object copy) {
    static final String NULL = "null";

    /**
     * What is stored of a result or a signal: {@code Optional.empty()}, like all that JSON's null stands for, is stored as a result that is
     * not there.
     *
     * @return the JSON, or null
     */
    public @Nullable String result() {
        return json.equals(NULL) ? null : json;
    }
}
