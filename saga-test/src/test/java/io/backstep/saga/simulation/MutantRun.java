package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Mutant.Found;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Compiles what one mutant changes, apart from everything else, and runs the simulation with it in a process of its own. */
final class MutantRun {
    private static final long LONGEST_MINUTES = 60;
    private static final Pattern FAILURES = Pattern.compile("failures: (\\d+) of (\\d+) seeds");
    private static final Pattern FIRST = Pattern.compile("FIRST FAILING SEED (\\d+): (\\S+)");

    private final Path directory;
    private final Path classes;

    MutantRun(String name) {
        this.directory = Mutant.root().resolve("saga-test/target/mutants").resolve(name);
        this.classes = directory.resolve("classes");
    }

    void compile(Mutant mutant) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        clear();
        Files.createDirectories(classes);
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "--release",
                    "17",
                    "-proc:none",
                    "-nowarn",
                    "-parameters",
                    "-d",
                    classes.toString(),
                    "-cp",
                    classPath());
            boolean good = compiler.getTask(
                            null, files, found, options, null, files.getJavaFileObjectsFromPaths(copies(mutant)))
                    .call();
            if (!good) {
                throw new IllegalStateException("it does not compile: " + found.getDiagnostics());
            }
        }
    }

    /** What an earlier form of the mutant has left must not be run. */
    private void clear() throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private List<Path> copies(Mutant mutant) throws IOException {
        List<Path> copies = new ArrayList<>();
        for (Map.Entry<String, String> source : mutant.sources().entrySet()) {
            Path copy = directory.resolve("sources").resolve(source.getKey());
            Files.createDirectories(copy.getParent());
            Files.writeString(copy, source.getValue());
            copies.add(copy);
        }
        return copies;
    }

    /**
     * Runs seeds; null when all of them keep all promises.
     *
     * @param rate whether all of them run, which gives a rate, or none after the first that fails
     */
    @Nullable
    Found seeds(long from, long count, boolean rate) throws IOException, InterruptedException {
        Path said = directory.resolve("seeds-from-" + from + ".log");
        Files.createDirectories(directory);
        Process process = new ProcessBuilder(command(from, count, rate))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        Thread atTheEnd = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(atTheEnd);
        try {
            if (!process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException("it still runs after " + LONGEST_MINUTES + " min; see " + said);
            }
        } finally {
            process.destroyForcibly();
        }
        return found(Files.readString(said), said);
    }

    private static @Nullable Found found(String text, Path said) {
        Matcher failures = FAILURES.matcher(text);
        if (!failures.find()) {
            throw new IllegalStateException("the simulation has not come to its end; see " + said);
        }
        Matcher first = FIRST.matcher(text);
        return first.find()
                ? new Found(
                        Long.parseLong(first.group(1)),
                        Long.parseLong(failures.group(1)),
                        Long.parseLong(failures.group(2)),
                        first.group(2))
                : null;
    }

    private List<String> command(long from, long count, boolean rate) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                classes + File.pathSeparator + classPath(),
                Simulate.class.getName(),
                "--from",
                Long.toString(from),
                "--seeds",
                Long.toString(count),
                "--threads",
                "1",
                "--no-shrink",
                "--keep-no-seeds"));
        if (!rate) {
            command.add("--stop-at-first");
        }
        return command;
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }
}
