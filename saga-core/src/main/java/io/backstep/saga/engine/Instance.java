package io.backstep.saga.engine;

import io.backstep.saga.store.Parent;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What does not change of a saga while this node holds it, and the results so far.
 */
final class Instance {
    private final UUID sagaId;
    private final @Nullable String businessKey;
    private final @Nullable Parent parent;
    private final Registered registered;
    private final Object input;
    private final Map<String, String> keys;
    private volatile Map<String, String> results;

    Instance(
            UUID sagaId,
            @Nullable String businessKey,
            @Nullable Parent parent,
            Registered registered,
            Object input,
            Map<String, String> results,
            Map<String, String> keys) {
        this.keys = Map.copyOf(keys);
        this.sagaId = sagaId;
        this.businessKey = businessKey;
        this.parent = parent;
        this.registered = registered;
        this.input = input;
        this.results = Map.copyOf(results);
    }

    UUID sagaId() {
        return sagaId;
    }

    @Nullable
    String businessKey() {
        return businessKey;
    }

    /** For whom it was started. */
    @Nullable
    Parent parent() {
        return parent;
    }

    Registered registered() {
        return registered;
    }

    /** The decoded input. Shared by all attempts on this node: treat it as immutable. */
    Object input() {
        return input;
    }

    /** Of steps that had begun under another name that name, by their name now: their calls keep their keys. */
    Map<String, String> keys() {
        return keys;
    }

    /** The encoded results by step; the map never changes. */
    Map<String, String> results() {
        return results;
    }

    void add(Map<String, String> more) {
        if (!more.isEmpty()) {
            Map<String, String> all = new java.util.HashMap<>(results);
            all.putAll(more);
            results = Map.copyOf(all);
        }
    }
}
