package io.backstep.saga.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Our engine side by side with what somebody would take instead, on one server. Each contender has a JVM and a database of its own;
 * within a round one window follows the other, contender after contender, and each round begins with another one. Between its windows
 * a contender is closed, so that it takes nothing from the others; its JVM stays.
 */
final class Peers implements Scenario {
    private final boolean full;

    Peers(boolean full) {
        this.full = full;
    }

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        String all = Arrays.stream(Contenders.values()).map(Contenders::title).collect(Collectors.joining(","));
        defaults.put("contenders", full ? all : "backstep,ceiling,jdbc-loop,dbos,db-scheduler");
        defaults.put(
                "workloads",
                full ? "W1:16,W1:64,W1:256,W2:64,W3:1,KB1:64,KB64:64,TX:64,W5:256,W6:1000" : "W1:64,W1:256,W3:1");
        defaults.put("rounds", full ? "5" : "2");
        defaults.put("seconds", full ? "10" : "4");
        defaults.put("settle-seconds", full ? "3" : "1.5");
        defaults.put("warmup-seconds", full ? "20" : "10");
        defaults.put("finished", "5000000");
        defaults.put("lease-seconds", "10");
        defaults.put("directory", full ? "docs/benchmarks" : "target/benchmarks");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        Results results = new Results(report.peersFacts(settings, server));
        try (Run run = new Run(settings, server, report, results)) {
            run.warmUp();
            for (int round = 1; round <= settings.number("rounds"); round++) {
                run.round(round);
            }
        }
        Pages pages = new Pages(results);
        pages.write(Path.of(settings.text("directory")));
        report.line("");
        report.line("%s", pages.markdown());
        return Bars.of(results).stream().allMatch(Bars.Bar::met);
    }

    private static final class Run implements AutoCloseable {
        private final Settings settings;
        private final Server server;
        private final Report report;
        private final Results results;
        private final List<Contenders> contenders;
        private final List<Workload> workloads;
        private final Map<String, Fork> forks = new LinkedHashMap<>();
        private int turns;

        private Run(Settings settings, Server server, Report report, Results results) {
            this.settings = settings;
            this.server = server;
            this.report = report;
            this.results = results;
            this.contenders =
                    settings.list("contenders").stream().map(Contenders::named).toList();
            this.workloads =
                    settings.list("workloads").stream().map(Workload::of).toList();
        }

        private void warmUp() throws Exception {
            String millis = Long.toString(settings.seconds("warmup-seconds").toMillis());
            for (Contenders contender : contenders) {
                for (Workload workload : workloads.stream()
                        .filter(this::isWindow)
                        .filter(contender::runs)
                        .toList()) {
                    if (workload.full() || forks.get(contender.title()) == null) {
                        fork(contender, workload).call("window W1:64 " + millis + " 100");
                    }
                }
            }
        }

        private boolean isWindow(Workload workload) {
            return !workload.isTakeover();
        }

        private Fork fork(Contenders contender, Workload workload) throws Exception {
            String name = workload.full() ? contender.title() + "-full" : contender.title();
            Fork known = forks.get(name);
            if (known == null) {
                known = Fork.of(contender, server.database(name), settings.seconds("lease-seconds"));
                forks.put(name, known);
                if (workload.full()) {
                    report.line("inserting %s finished sagas", settings.text("finished"));
                    known.call("fill " + settings.number("finished"));
                }
            }
            return known;
        }

        private void round(int round) throws Exception {
            for (Workload workload : workloads) {
                List<Contenders> order = new ArrayList<>(contenders);
                Collections.rotate(order, turns++);
                for (Contenders contender : order) {
                    if (workload.isTakeover() && contender == Contenders.BACKSTEP) {
                        takeOver(round, contender, workload);
                    } else if (isWindow(workload) && contender.runs(workload)) {
                        window(round, contender, workload);
                    }
                }
            }
        }

        private void window(int round, Contenders contender, Workload workload) throws Exception {
            Sample sample = fork(contender, workload)
                    .sample("window " + workload + " "
                            + settings.seconds("settle-seconds").toMillis() + " "
                            + settings.seconds("seconds").toMillis());
            results.windows().add(new Results.Row(round, contender.title(), workload.toString(), sample));
            report.line(
                    "%2d %-8s %-13s %8.0f sagas/s, p50 %.2f ms, p99 %.2f ms, load %s",
                    round,
                    workload,
                    contender.title(),
                    sample.sagasPerSecond(),
                    sample.p50Millis(),
                    sample.p99Millis(),
                    Report.load());
        }

        /** From the kill until nothing is open any more; the second JVM runs before that, and has nothing to do. */
        private void takeOver(int round, Contenders contender, Workload workload) throws Exception {
            Server database = server.database(contender.title() + "-w6-" + round);
            Duration lease = settings.seconds("lease-seconds");
            try (Fork second = Fork.of(contender, database, lease);
                    Fork first = Fork.of(contender, database, lease)) {
                second.call("open " + workload);
                first.call("load " + workload + " "
                        + settings.seconds("settle-seconds").toMillis());
                first.kill();
                long from = System.nanoTime();
                long atFirst = Node.open(database);
                long open = atFirst;
                while (open > 0) {
                    TimeUnit.MILLISECONDS.sleep(20);
                    open = Node.open(database);
                }
                double seconds = (System.nanoTime() - from) / 1e9;
                results.takeovers()
                        .add(new Results.Takeover(
                                round, contender.title(), atFirst, seconds, lease.toMillis() / 1000.0));
                report.line(
                        "%2d %-8s %-13s %d sagas ended in %.2f s",
                        round, workload, contender.title(), atFirst, seconds);
            }
        }

        @Override
        public void close() throws Exception {
            for (Fork fork : forks.values()) {
                fork.close();
            }
        }
    }
}
