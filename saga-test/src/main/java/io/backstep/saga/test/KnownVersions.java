package io.backstep.saga.test;

import io.backstep.saga.definition.SagaDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The steps of each version that was ever deployed, as a file keeps them: a line {@code name v1}, then its fingerprint, indented. */
final class KnownVersions {
    private static final String HEADER = """
            # The steps of all versions of the sagas whose instances may be in flight: GoldenFiles.compatible checks and writes them.
            # When no instance of a version is left anywhere, delete its lines.
            """;
    private static final String INDENT = "  ";

    private record Version(String name, int number) implements Comparable<Version> {
        static Version of(SagaDefinition<?> definition) {
            return new Version(definition.name(), definition.version());
        }

        @Override
        public int compareTo(Version other) {
            int byName = name.compareTo(other.name);
            return byName == 0 ? Integer.compare(number, other.number) : byName;
        }

        @Override
        public String toString() {
            return name + " v" + number;
        }
    }

    private final Map<Version, String> fingerprints = new TreeMap<>();

    private KnownVersions() {}

    static KnownVersions parse(String text) {
        KnownVersions known = new KnownVersions();
        Version version = null;
        for (String line : text.lines().toList()) {
            if (line.startsWith(INDENT) && version != null) {
                known.fingerprints.merge(version, line.substring(INDENT.length()) + "\n", String::concat);
            } else if (!line.isBlank() && !line.startsWith("#")) {
                version = version(line);
                known.fingerprints.put(version, "");
            }
        }
        return known;
    }

    private static Version version(String line) {
        int at = line.lastIndexOf(" v");
        try {
            return new Version(
                    line.substring(0, at),
                    Integer.parseInt(line.substring(at + 2).strip()));
        } catch (RuntimeException e) {
            throw new IllegalStateException("a line is neither indented nor of the form \"name v1\": " + line, e);
        }
    }

    /** What would happen to instances in flight, for people. */
    List<String> stranding(List<SagaDefinition<?>> definitions) {
        List<String> found = new ArrayList<>();
        fingerprints.forEach((version, fingerprint) -> {
            SagaDefinition<?> definition = find(definitions, version);
            if (definition == null) {
                found.add(
                        version + " is not registered any more: its instances would wait until a node knows it again");
            } else {
                definition
                        .differences(fingerprint)
                        .forEach(difference ->
                                found.add(version + " was changed, and nodes would refuse to start: " + difference));
            }
        });
        return found;
    }

    private static @Nullable SagaDefinition<?> find(List<SagaDefinition<?>> definitions, Version version) {
        for (SagaDefinition<?> definition : definitions) {
            if (Version.of(definition).equals(version)) {
                return definition;
            }
        }
        return null;
    }

    KnownVersions with(List<SagaDefinition<?>> definitions) {
        KnownVersions all = new KnownVersions();
        all.fingerprints.putAll(fingerprints);
        definitions.forEach(definition -> all.fingerprints.put(Version.of(definition), definition.fingerprint()));
        return all;
    }

    String text() {
        StringBuilder text = new StringBuilder(HEADER);
        fingerprints.forEach((version, fingerprint) -> {
            text.append('\n').append(version).append('\n');
            fingerprint.lines().forEach(line -> text.append(INDENT).append(line).append('\n'));
        });
        return text.toString();
    }
}
