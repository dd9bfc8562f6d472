package io.backstep.saga.benchmarks;

import java.time.Duration;
import java.util.Map;

/** Finished sagas cost disk, not time. Bar: with millions of them at least 90 % of the sagas a second. */
final class FinishedSagas implements Scenario {
    private static final double BAR = 0.9;

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = Sides.defaults();
        defaults.put("finished", "5000000");
        defaults.put("in-flight", "256");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        String workload = "W1:" + settings.text("in-flight");
        try (Nodes empty = Nodes.of(Contenders.BACKSTEP, server.database("empty"), 1);
                Nodes full = Nodes.of(Contenders.BACKSTEP, server.database("full"), 1)) {
            long from = System.nanoTime();
            full.forks().get(0).call("fill " + settings.number("finished"));
            report.line(
                    "filled in %d s: %s",
                    Duration.ofNanos(System.nanoTime() - from).toSeconds(),
                    full.database().value("select pg_size_pretty(pg_database_size(current_database()))"));
            empty.warmUp(settings);
            full.warmUp(settings);
            Sides sides = new Sides(report)
                    .with("empty at first", () -> empty.window(1, workload, settings))
                    .with("full", () -> full.window(1, workload, settings))
                    .run(settings.number("rounds"));
            return report.atLeast("full, times empty", sides.ratio("full", "empty at first"), BAR);
        }
    }
}
