package io.backstep.saga.test;

import io.backstep.saga.definition.SagaDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What definitions say, kept in files beside the sources, so that a change of a saga is a change that reviewers see. Each check compares
 * a file with the code and fails when they differ; the same test run with {@code -Dsaga.golden.update=true} writes the file. Paths are
 * relative to the folder in which the tests run, which for Maven is that of the module.
 */
public final class GoldenFiles {
    /** The system property that lets files be written: {@value}. */
    public static final String UPDATE = "saga.golden.update";

    private GoldenFiles() {}

    /**
     * Checks the drawing of a definition: a Mermaid flowchart. In a file {@code .md} it is a block that Markdown viewers draw.
     *
     * @param file where it is kept
     * @param definition what is drawn
     * @throws AssertionError when the file is stale, or is not there
     */
    public static void diagram(Path file, SagaDefinition<?> definition) {
        String drawn = definition.diagram();
        boolean markdown = file.toString().endsWith(".md");
        check(file, markdown ? "# " + definition + "\n\n```mermaid\n" + drawn + "```\n" : drawn);
    }

    /**
     * Checks all that a definition says but its code, as JSON: steps, kinds, order, types, retries, timeouts.
     *
     * @param file where it is kept
     * @param definition what is described
     * @throws AssertionError when the file is stale, or is not there
     */
    public static void description(Path file, SagaDefinition<?> definition) {
        check(file, definition.describe().json());
    }

    /**
     * Checks that no instance in flight would be stranded by a deployment of these definitions: every version in the file must be among
     * them, with the steps that it has there, and must read all the data that its input and results had there. More data, and a version that is
     * new, must be added to the file, which {@code -Dsaga.golden.update=true}
     * does; it takes nothing away and changes nothing. When no instance of a version is left anywhere, or what is stored may be lost or is still read,
     * delete the lines by hand.
     *
     * @param file where the steps of all versions are kept
     * @param definitions all that the application registers, with all their versions
     * @throws AssertionError when a version was changed or taken away; each difference is named; or when one is not yet in the file
     */
    public static void compatible(Path file, SagaDefinition<?>... definitions) {
        compatible(file, Arrays.asList(definitions));
    }

    /**
     * Checks that no instance in flight would be stranded by a deployment, see {@link #compatible(Path, SagaDefinition...)}.
     *
     * @param file where the steps of all versions are kept
     * @param definitions all that the application registers, with all their versions
     * @throws AssertionError when a version was changed or taken away; each difference is named; or when one is not yet in the file
     */
    public static void compatible(Path file, List<SagaDefinition<?>> definitions) {
        String kept = read(file);
        KnownVersions known = KnownVersions.parse(kept == null ? "" : kept);
        List<String> stranding = known.stranding(definitions);
        if (!stranding.isEmpty()) {
            throw new AssertionError(
                    "instances in flight would be stranded (" + file + " tells what was):\n- "
                            + String.join("\n- ", stranding)
                            + "\nGive changed steps and data a new version, and keep the old one registered until none of its instances is left.");
        }
        check(file, known.with(definitions).text());
    }

    private static void check(Path file, String now) {
        String kept = read(file);
        if (now.equals(kept)) {
            return;
        }
        if (Boolean.getBoolean(UPDATE)) {
            write(file, now);
            return;
        }
        throw new AssertionError((kept == null ? file + " is not there" : file + " is stale:\n" + difference(kept, now))
                + "\nRun this test with -D" + UPDATE + "=true to write it, and commit it.");
    }

    private static String difference(String kept, String now) {
        List<String> before = kept.lines().toList();
        List<String> after = now.lines().toList();
        StringBuilder text = new StringBuilder();
        before.stream()
                .filter(line -> !after.contains(line))
                .forEach(line -> text.append("  - ").append(line).append('\n'));
        after.stream()
                .filter(line -> !before.contains(line))
                .forEach(line -> text.append("  + ").append(line).append('\n'));
        return text.isEmpty()
                ? "  the same lines in another order, or more often"
                : text.toString().stripTrailing();
    }

    private static @Nullable String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file).replace("\r\n", "\n") : null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
