package io.backstep.saga.engine;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.definition.ChildSaga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.store.RegisteredDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
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
                    "two definitions are " + definition + ": " + shown(other) + ", and " + shown(definition)
                            + "; give one another version, or register it once");
        }
    }

    private static String shown(SagaDefinition<?> definition) {
        return "of " + definition.type().inputType().getTypeName() + " at " + definition.definedAt();
    }

    /** May be repeated after a failure: what is known already stays as it is. */
    void makeKnown(Function<SagaDefinition<?>, RegisteredDefinition> store) {
        all().forEach(this::checkChildren);
        for (SagaDefinition<?> definition : all()) {
            RegisteredDefinition row = store.apply(definition);
            if (!row.fingerprint().equals(definition.fingerprint())) {
                throw new SagaDefinitionException(
                        "SAGA-DEF-007",
                        definition + " is stored with other steps; give the changed one a new version:\n"
                                + String.join("\n", definition.differences(row.fingerprint())) + "\nstored:\n"
                                + row.fingerprint() + "now:\n" + definition.fingerprint());
            }
            Registered registered = new Registered(definition, new SagaMachine(definition), row);
            byId.put(row.definitionId(), registered);
            byVersion.put(key(row.name(), row.version()), registered);
        }
    }

    /** A node can start what it knows, so it must know the children of its sagas. */
    private void checkChildren(SagaDefinition<?> parent) {
        for (StepDefinition step : parent.steps()) {
            ChildSaga child = step.child();
            if (child == null) {
                continue;
            }
            SagaDefinition<?> found = find(child.type().name(), child.version());
            if (found == null) {
                throw new SagaDefinitionException(
                        "SAGA-DEF-020",
                        "step " + step.name() + " of " + parent + " starts " + child.type()
                                + (child.version() == 0 ? "" : " v" + child.version())
                                + ", which is not registered; there are " + all());
            }
            ChildSaga.fault(step, found).or(() -> pivotFault(step, child)).ifPresent(fault -> {
                throw new SagaDefinitionException(
                        "SAGA-DEF-021", "step " + step.name() + " of " + parent + " " + fault);
            });
        }
    }

    /** The child may be of any version, unless the step names one: others have started it, or this node did when that was the highest. */
    private Optional<String> pivotFault(StepDefinition step, ChildSaga child) {
        return child.version() != 0
                ? Optional.empty()
                : all().stream()
                        .filter(version -> version.name().equals(child.type().name()))
                        .flatMap(version -> ChildSaga.pivotFault(step, version).stream())
                        .findFirst();
    }

    /** The definition of a version, or of the highest for 0. */
    private @Nullable SagaDefinition<?> find(String name, int version) {
        TreeMap<Integer, SagaDefinition<?>> versions = definitions.get(name);
        return versions == null ? null : versions.get(version == 0 ? versions.lastKey() : version);
    }

    List<SagaDefinition<?>> all() {
        List<SagaDefinition<?>> all = new ArrayList<>();
        definitions.values().forEach(versions -> all.addAll(versions.values()));
        return all;
    }

    /** Whether this one, or one like it, was added: a factory that is asked twice makes two. */
    boolean has(SagaDefinition<?> definition) {
        TreeMap<Integer, SagaDefinition<?>> versions = definitions.get(definition.name());
        SagaDefinition<?> known = versions == null ? null : versions.get(definition.version());
        return known != null && known.fingerprint().equals(definition.fingerprint());
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

    /** The types of which any version is known. */
    Set<Integer> types() {
        return byId.values().stream()
                .map(registered -> registered.row().typeId())
                .collect(Collectors.toSet());
    }

    /** Finds the version to start: the one asked for, or the highest for 0. */
    Registered toStart(String name, int version) {
        SagaDefinition<?> wanted = find(name, version);
        Registered found = wanted == null ? null : byVersion.get(key(name, wanted.version()));
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
