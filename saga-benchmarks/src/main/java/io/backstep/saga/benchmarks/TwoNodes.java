package io.backstep.saga.benchmarks;

import java.util.Map;

/** Two nodes on one database against one, with the same number of sagas in flight. Bar: at least 0.9 times as many sagas a second. */
final class TwoNodes implements Scenario {
    private static final double BAR = 0.9;

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = Sides.defaults();
        defaults.put("in-flight", "256");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        int inFlight = settings.number("in-flight");
        try (Nodes nodes = Nodes.of(Contenders.BACKSTEP, server.database("nodes"), 2)) {
            nodes.warmUp(settings);
            Sides sides = new Sides(report)
                    .with("one node", () -> nodes.window(1, "W1:" + inFlight, settings))
                    .with("two nodes", () -> nodes.window(2, "W1:" + inFlight / 2, settings))
                    .run(settings.number("rounds"));
            return report.atLeast("two nodes, times one", sides.ratio("two nodes", "one node"), BAR);
        }
    }
}
