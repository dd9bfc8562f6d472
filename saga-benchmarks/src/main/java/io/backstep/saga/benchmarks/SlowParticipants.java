package io.backstep.saga.benchmarks;

import java.util.Map;

/**
 * Very many sagas in flight, whose participants take 200 ms each, on virtual threads. Bar: a heap of less than 512 MB, and at least 80 % of
 * what so many can be at most, or of W1, whichever is less. Without virtual threads there are sixteen workers, and no bar.
 */
final class SlowParticipants implements Scenario {
    private static final double BAR = 0.8;
    private static final int MEGABYTES = 512;
    private static final double SECONDS = 4 * 0.2;

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = Sides.defaults();
        defaults.put("in-flight", "10000");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        int inFlight = settings.number("in-flight");
        report.line("%s", Backstep.hasVirtualThreads() ? "virtual threads" : "no virtual threads here: 16 workers");
        try (Nodes slow = Nodes.of(
                        Contenders.BACKSTEP,
                        server.database("slow"),
                        1,
                        "-Xms" + MEGABYTES + "m",
                        "-Xmx" + MEGABYTES + "m");
                Nodes fast = Nodes.of(Contenders.BACKSTEP, server.database("fast"), 1)) {
            slow.warmUp(settings);
            fast.warmUp(settings);
            Sides sides = new Sides(report)
                    .with("slow participants", () -> slow.window(1, "SLOW:" + inFlight, settings))
                    .with("W1:256", () -> fast.window(1, "W1:256", settings))
                    .run(settings.number("rounds"));
            double most = Math.min(inFlight / SECONDS, sides.median("W1:256", Sample::sagasPerSecond));
            report.line("at most %.0f sagas/s, by the time that participants take or by W1", most);
            boolean met = report.atLeast(
                    "slow participants, of those",
                    sides.median("slow participants", Sample::sagasPerSecond) / most,
                    BAR);
            double heap = sides.median("slow participants", Sample::heapMegabytes);
            met &= report.atMost("live heap in MB, with -Xmx" + MEGABYTES + "m", heap, MEGABYTES);
            return met || !Backstep.hasVirtualThreads();
        }
    }
}
