package io.backstep.saga.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The seeds that have failed once, in a file of the project. Every run begins with them. */
final class KnownSeeds {
    private static final String FILE = "src/test/resources/io/backstep/saga/simulation/seeds.txt";

    private KnownSeeds() {}

    private static Path file() {
        Path fromRoot = Path.of("saga-test").resolve(FILE);
        return Files.exists(fromRoot) ? fromRoot : Path.of(FILE);
    }

    static List<Long> all() {
        try {
            return Files.readAllLines(file()).stream()
                    .map(line -> line.replaceAll("#.*", "").trim())
                    .filter(line -> !line.isEmpty())
                    .map(Long::valueOf)
                    .distinct()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void add(long seed, String invariant) {
        if (all().contains(seed)) {
            return;
        }
        try {
            Files.writeString(file(), seed + " # " + invariant + System.lineSeparator(), StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
