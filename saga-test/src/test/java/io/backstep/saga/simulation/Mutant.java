package io.backstep.saga.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A planted bug: what to change in which production sources. It is kept in a file:
 *
 * <pre>
 * planted: which bug of the list it is
 * harm: what would go wrong for a user
 * found: at seed 12, in 35 of 2000 seeds, by I7
 *
 * in path/of/Source.java
 * &lt;&lt;&lt;&lt;
 * text that is there exactly once
 * ====
 * text that takes its place
 * &gt;&gt;&gt;&gt;
 * </pre>
 *
 * @param name the name of the file, without its ending
 * @param planted which bug it is
 * @param harm what would go wrong for a user
 * @param found how the simulation found it, or null before it has
 * @param edits what to change
 */
record Mutant(
        String name, String planted, String harm, @Nullable Found found, List<Edit> edits) {
    private static final String ENDING = ".mutant";

    /** One change of one source, by its path from the root of the project. */
    record Edit(String file, String before, String after) {
        String in(String source) {
            int at = source.indexOf(before);
            if (at < 0) {
                throw new IllegalStateException("this is not in " + file + " any more:\n" + before);
            }
            if (source.indexOf(before, at + 1) >= 0) {
                throw new IllegalStateException("this is in " + file + " more than once:\n" + before);
            }
            return source.substring(0, at) + after + source.substring(at + before.length());
        }
    }

    /** How it was found: the first seed that fails, how many of how many fail, and the invariant that the first one hurts. */
    record Found(long seed, long failures, long seeds, String invariant) {
        static Found of(String line) {
            String[] words = line.replace(",", "").split(" ");
            return new Found(
                    Long.parseLong(words[2]),
                    Long.parseLong(words[4]),
                    Long.parseLong(words[6]),
                    words[words.length - 1]);
        }

        boolean inMoreThanOneOf(long many) {
            return failures * many > seeds;
        }

        String rate() {
            return failures + " of " + seeds;
        }

        @Override
        public String toString() {
            return "at seed " + seed + ", in " + rate() + " seeds, by " + invariant;
        }
    }

    /** The root of the project, from there or from a module. */
    static Path root() {
        return Files.exists(Path.of("saga-core")) ? Path.of("") : Path.of("..");
    }

    static List<Mutant> all() {
        try (Stream<Path> files = Files.list(directory())) {
            return files.filter(file -> file.toString().endsWith(ENDING))
                    .sorted()
                    .map(Mutant::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path directory() {
        return root().resolve("saga-test/src/test/mutants");
    }

    private static Mutant read(Path file) {
        try {
            String name = file.getFileName().toString().replace(ENDING, "");
            return parsed(name, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Mutant parsed(String name, List<String> lines) {
        Map<String, String> says = new LinkedHashMap<>();
        List<Edit> edits = new ArrayList<>();
        String file = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.equals("<<<<")) {
                int middle = next(lines, i, "====");
                int end = next(lines, middle, ">>>>");
                edits.add(new Edit(file, text(lines, i, middle), text(lines, middle, end)));
                i = end;
            } else if (line.startsWith("in ")) {
                file = line.substring("in ".length());
            } else if (line.contains(": ")) {
                says.put(line.substring(0, line.indexOf(": ")), line.substring(line.indexOf(": ") + 2));
            } else if (!line.isBlank()) {
                throw new IllegalStateException(name + " has a line that nobody understands: " + line);
            }
        }
        String found = says.get("found");
        return new Mutant(
                name,
                said(name, says, "planted"),
                said(name, says, "harm"),
                found == null ? null : Found.of(found),
                List.copyOf(edits));
    }

    private static String said(String name, Map<String, String> says, String what) {
        String said = says.get(what);
        if (said == null) {
            throw new IllegalStateException(name + " has no line \"" + what + ": ...\"");
        }
        return said;
    }

    private static int next(List<String> lines, int from, String mark) {
        for (int i = from + 1; i < lines.size(); i++) {
            if (lines.get(i).equals(mark)) {
                return i;
            }
        }
        throw new IllegalStateException("no " + mark + " after line " + (from + 1));
    }

    private static String text(List<String> lines, int from, int to) {
        return String.join("\n", lines.subList(from + 1, to)) + "\n";
    }

    /** The changed sources, by their path from the root of the project. */
    Map<String, String> sources() {
        Map<String, String> sources = new LinkedHashMap<>();
        for (Edit edit : edits) {
            sources.put(edit.file(), edit.in(sources.computeIfAbsent(edit.file(), Mutant::source)));
        }
        return sources;
    }

    private static String source(String file) {
        try {
            return Files.readString(root().resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Keeps how it was found in its file. */
    void keep(Found now) {
        Path file = directory().resolve(name + ENDING);
        try {
            List<String> lines = new ArrayList<>(Files.readAllLines(file));
            lines.removeIf(line -> line.startsWith("found: "));
            lines.add(2, "found: " + now);
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
