package io.backstep.saga.engine;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.store.RegisteredDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The definitions of this node: collected first, then made known to the store when the engine starts. */
final class Registry {
    private final Map<String, TreeMap<Integer, SagaDefinition<?>>> definitions = new ConcurrentHashMap<>();
    private final Map<Integer, Registered> byId = new ConcurrentHashMap<>();
    private final Map<String, Registered> byVersion = new ConcurrentHashMap<>();

    void add(SagaDefinition<?> definition) {
        SagaDefinition<?> other = definitions
                .computeIfAbsent(definition.name(), name -> new TreeMap<>())
                .putIfAbsent(definition.version(), definition);
        if (other != null) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-003",
                    "two definitions are " + definition + ", with inputs "
                            + other.type().inputType().getTypeName() + " and "
                            + definition.type().inputType().getTypeName() + "; give one another version");
        }
    }

    /** May be repeated after a failure: what is known already stays as it is. */
    void makeKnown(Function<SagaDefinition<?>, RegisteredDefinition> store) {
        for (SagaDefinition<?> definition : all()) {
            RegisteredDefinition row = store.apply(definition);
            if (!row.fingerprint().equals(definition.fingerprint())) {
                throw new SagaDefinitionException(
                        "SAGA-DEF-007",
                        definition + " is stored with other steps; give the changed one a new version." + "\nstored:\n"
                                + row.fingerprint() + "now:\n" + definition.fingerprint());
            }
            Registered registered = new Registered(definition, new SagaMachine(definition), row);
            byId.put(row.definitionId(), registered);
            byVersion.put(key(row.name(), row.version()), registered);
        }
    }

    List<SagaDefinition<?>> all() {
        List<SagaDefinition<?>> all = new ArrayList<>();
        definitions.values().forEach(versions -> all.addAll(versions.values()));
        return all;
    }

    @Nullable
    Registered byId(int definitionId) {
        return byId.get(definitionId);
    }

    @Nullable
    Registered of(SagaDefinition<?> definition) {
        return byVersion.get(key(definition.name(), definition.version()));
    }

    Collection<Integer> ids() {
        return byId.keySet();
    }

    /** Finds the version to start: the one asked for, or the highest for 0. */
    Registered toStart(String name, int version) {
        TreeMap<Integer, SagaDefinition<?>> versions = definitions.get(name);
        int wanted = version != 0 || versions == null ? version : versions.lastKey();
        Registered found = byVersion.get(key(name, wanted));
        if (found == null) {
            throw new SagaStartException(
                    "SAGA-START-007",
                    "no definition of " + name + (version == 0 ? "" : " v" + version) + " is registered; there are "
                            + all());
        }
        return found;
    }

    private static String key(String name, int version) {
        return name + ' ' + version;
    }
}
