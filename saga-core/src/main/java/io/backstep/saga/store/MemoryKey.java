package io.backstep.saga.store;

import org.jspecify.annotations.Nullable;

/** A business key, unique among all versions of a type. */
record MemoryKey(String name, String businessKey) {
    static @Nullable MemoryKey of(NewInstance instance) {
        String key = instance.businessKey();
        return key == null ? null : new MemoryKey(instance.definition().name(), key);
    }
}
