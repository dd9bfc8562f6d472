package io.backstep.saga.test;

import io.backstep.saga.definition.SagaDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The steps of each version that was ever deployed, and what is stored of their data, as a file keeps them: a line {@code name v1}, then its
 * fingerprint, indented, then a line for each value of its input and its results, such as {@code : pay.amount BigDecimal}.
 */
final class KnownVersions {
    private static final String HEADER = """
            # The steps of all versions of the sagas whose instances may be in flight: GoldenFiles.compatible checks and writes them.
            # When no instance of a version is left anywhere, delete its lines.
            """;
    private static final String INDENT = "  ";
    private static final String DATA = INDENT + ": ";

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
    private final Map<Version, Set<String>> shapes = new TreeMap<>();

    private KnownVersions() {}

    static KnownVersions parse(String text) {
        KnownVersions known = new KnownVersions();
        Version version = null;
        for (String line : text.lines().toList()) {
            if (line.startsWith(DATA) && version != null) {
                known.shapes
                        .computeIfAbsent(version, of -> new TreeSet<>())
                        .add(line.substring(DATA.length()).strip());
            } else if (line.startsWith(INDENT) && version != null) {
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
                found.addAll(lost(version, definition));
            }
        });
        return found;
    }

    /** What more there is now was never stored: it reads as absent. What was stored and is not there any more would be lost. */
    private List<String> lost(Version version, SagaDefinition<?> definition) {
        Set<String> now = Shape.of(definition);
        return shapes.getOrDefault(version, Set.of()).stream()
                .filter(line -> !now.contains(line))
                .map(line -> version + " reads other data than is stored: there was \"" + line + "\", and "
                        + shown(place(line), now))
                .toList();
    }

    private static String shown(String place, Set<String> now) {
        List<String> there =
                now.stream().filter(line -> place(line).equals(place)).toList();
        return there.isEmpty() ? "nothing is read from there now" : "now there is " + there;
    }

    private static String place(String line) {
        return line.substring(0, line.indexOf(' '));
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
        all.shapes.putAll(shapes);
        definitions.forEach(definition -> {
            all.fingerprints.put(Version.of(definition), definition.fingerprint());
            all.shapes.put(Version.of(definition), Shape.of(definition));
        });
        return all;
    }

    String text() {
        StringBuilder text = new StringBuilder(HEADER);
        fingerprints.forEach((version, fingerprint) -> {
            text.append('\n').append(version).append('\n');
            fingerprint.lines().forEach(line -> text.append(INDENT).append(line).append('\n'));
            shapes.getOrDefault(version, Set.of())
                    .forEach(line -> text.append(DATA).append(line).append('\n'));
        });
        return text.toString();
    }
}
