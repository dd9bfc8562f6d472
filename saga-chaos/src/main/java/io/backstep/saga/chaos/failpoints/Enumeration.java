package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.testsupport.PostgresServer;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Plays every failpoint with every fault in every scenario that passes it. */
final class Enumeration {
    /** A busy machine may let the other node come first: then the fault is not met, and nothing is shown. */
    private static final int MOST_TRIES = 3;

    private final Path folder;
    private final Supplier<TestPostgres.Db> databases;
    private final int slots;
    private final Consumer<String> out;

    /**
     * Made for one run.
     *
     * @param folder for the files of all processes
     * @param databases makes empty ones, of one server
     * @param slots how many cases are played at once
     * @param out told each result
     */
    Enumeration(Path folder, Supplier<TestPostgres.Db> databases, int slots, Consumer<String> out) {
        this.folder = folder;
        this.databases = databases;
        this.slots = slots;
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        EnumerationOptions options = EnumerationOptions.of(args);
        System.out.println(
                "bin/failpoints " + String.join(" ", args) + ", commit " + System.getProperty("commit", "unknown")
                        + ", " + Runtime.getRuntime().availableProcessors() + " cores, " + Instant.now());
        Path folder = Files.createTempDirectory("saga-failpoints");
        System.out.println("the files of all processes are in " + folder);
        Report report;
        try (PostgresServer server = PostgresServer.start(Map.of())) {
            report = new Enumeration(folder, server::fresh, options.slots(), System.out::println).run(options);
        }
        report.lines().forEach(System.out::println);
        if (report.green()) {
            delete(folder);
        }
        System.exit(report.green() ? 0 : 1);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
    }

    Report run(EnumerationOptions options) throws Exception {
        List<Case> dry = options.scenarios().stream()
                .map(scenario -> new Case(scenario, Optional.empty()))
                .toList();
        Path archive = folder.resolve("classes.jsa");
        List<Result> walked =
                new ArrayList<>(play(dry.subList(0, 1), "a", 1, List.of("-XX:ArchiveClassesAtExit=" + archive)));
        List<String> flags = Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
        walked.addAll(play(dry.subList(1, dry.size()), "w", slots, flags));
        Map<Scenario, Map<String, Integer>> reached = new EnumMap<>(Scenario.class);
        walked.forEach(result -> reached.put(result.played().scenario(), result.reached()));
        List<Case> cases = Case.all(reached, options.everyHit()).stream()
                .filter(options::wants)
                .toList();
        out.accept(cases.size() + " cases");
        return new Report(options, reached, walked, play(cases, "s", slots, flags));
    }

    private List<Result> play(List<Case> cases, String names, int atOnce, List<String> flags) throws Exception {
        Queue<Case> queue = new ConcurrentLinkedQueue<>(cases);
        ExecutorService threads = Executors.newFixedThreadPool(atOnce);
        try {
            List<Callable<List<Result>>> players = new ArrayList<>();
            for (int i = 0; i < atOnce; i++) {
                Slot slot = new Slot(names + i, folder, databases, flags);
                players.add(() -> playAll(queue, slot));
            }
            List<Result> results = new ArrayList<>();
            for (Future<List<Result>> player : threads.invokeAll(players)) {
                results.addAll(player.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Result> playAll(Queue<Case> queue, Slot slot) {
        List<Result> results = new ArrayList<>();
        try (slot) {
            for (Case next = queue.poll(); next != null; next = queue.poll()) {
                Result result = slot.play(next);
                for (int tries = 1; tries < MOST_TRIES && result.green() && !result.hit(); tries++) {
                    result = slot.play(next);
                }
                out.accept(result.toString());
                results.add(result);
            }
        }
        return results;
    }
}
