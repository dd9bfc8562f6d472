package io.backstep.saga.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Lets nodes run sagas on one PostgreSQL, kills, stops and cuts off all of them at random, lets them come to rest, and checks what is
 * left. Ends with 1 when a check is broken; then all files are kept.
 */
public final class Chaos {
    private static final Duration REST = Duration.ofSeconds(90);
    private static final String NOT_STOPPED_AT_END = "SIGTERM at the end, had to be killed";

    private final ChaosOptions options;
    private final Injected injected = new Injected();
    private final Random random;

    private Chaos(ChaosOptions options) {
        this.options = options;
        this.random = new Random(options.seed());
    }

    /**
     * Runs it.
     *
     * @param args {@code --seconds N --nodes N --seed N --starts PER_SECOND --megabytes N --pace N --deploy-every SECONDS --folder
     *     FOLDER --out FILE}
     * @throws Exception when it cannot be run
     */
    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("saga-chaos");
        ChaosReport report = run(ChaosOptions.of(args, folder));
        String text = report.text();
        System.out.print(text);
        Path out = report.options().out();
        if (out != null) {
            Files.writeString(out, text, StandardCharsets.UTF_8);
        }
        if (!report.holds()) {
            System.out.println("All files are in " + report.options().folder());
            System.out.println("again, as far as chance lets it: bin/chaos " + String.join(" ", args) + " --seed "
                    + report.options().seed());
        } else if (report.options().folder().equals(folder)) {
            delete(folder);
        }
        System.exit(report.holds() ? 0 : 1);
    }

    static ChaosReport run(ChaosOptions options) throws Exception {
        return new Chaos(options).run(System.err);
    }

    private ChaosReport run(PrintStream progress) throws Exception {
        long begin = System.nanoTime();
        try (Cluster cluster = new Cluster(options, random)) {
            Thread atExit = new Thread(cluster::killAll);
            Runtime.getRuntime().addShutdownHook(atExit);
            progress.println("seed " + options.seed() + ", files in " + options.folder());
            for (Slot slot : cluster.slots()) {
                slot.process().await("READY", 60); // else a busy machine sees faults, and no sagas
            }
            Faults faults = new Faults(cluster, options, injected, random);
            faults.start();
            long end = System.nanoTime() + options.duration().toNanos();
            while (System.nanoTime() < end) {
                Thread.sleep(Math.max(1, Math.min(10_000, (end - System.nanoTime()) / 1_000_000)));
                progress.println(injected.all());
            }
            faults.stop();
            Duration rest = comeToRest(cluster, progress);
            progress.println("at rest after " + rest + "; the nodes stop");
            stop(cluster);
            Stocks.sweepAll(cluster.database());
            List<CheckResult> results = new ArrayList<>(
                    new Checker(cluster.database(), cluster.far(), options.folder(), Cluster.PURGED_AFTER).run());
            results.add(stoppedByItself());
            Runtime.getRuntime().removeShutdownHook(atExit);
            if (!results.stream().allMatch(CheckResult::holds)) {
                Dump.to(options.folder(), cluster.database());
            }
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            return ChaosReport.of(options, cluster, injected, rest, took, results);
        }
    }

    /** Nothing is harmed any more: within a bound everything has ended or is parked. */
    private Duration comeToRest(Cluster cluster, PrintStream progress) throws Exception {
        long begin = System.nanoTime();
        for (Slot slot : cluster.slots()) {
            slot.calm();
        }
        if (options.deploys()) {
            Deploys.roll(cluster, Release.V1_V2, injected); // what waits for its version goes on
        }
        long active = active(cluster);
        for (int looks = 0; active > 0 && System.nanoTime() - begin < REST.toNanos(); looks++) {
            if (looks % 20 == 0) {
                progress.println(active + " sagas are under way, faults have ended");
            }
            Thread.sleep(100);
            for (Slot slot : cluster.slots()) {
                slot.replaceDead();
            }
            active = active(cluster);
        }
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static long active(Cluster cluster) throws SQLException {
        try (Connection connection = cluster.database().connect()) {
            return Sql.number(connection, "select count(*) from chaos_active");
        }
    }

    private void stop(Cluster cluster) {
        List<NodeProcess> last = cluster.slots().stream().map(Slot::process).toList();
        last.forEach(NodeProcess::terminate);
        last.forEach(
                process -> injected.add(process.awaitEnd(20) ? "SIGTERM at the end, stopped" : NOT_STOPPED_AT_END, 1));
        cluster.killAll();
    }

    private CheckResult stoppedByItself() {
        long killed = injected.of(Faults.NOT_STOPPED) + injected.of(NOT_STOPPED_AT_END);
        return new CheckResult("a node stops by itself at SIGTERM", (int) killed, List.of());
    }

    static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
    }
}
