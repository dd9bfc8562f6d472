package io.backstep.saga.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs one scenario: its name, then its options. Ends with 1 when a bar is missed. */
public final class Benchmarks {
    private static final Map<String, Scenario> SCENARIOS = new TreeMap<>(Map.ofEntries(
            Map.entry("due-at-once", new DueAtOnce()),
            Map.entry("finished-sagas", new FinishedSagas()),
            Map.entry("guard", new GuardOverhead()),
            Map.entry("held-snapshot", new HeldSnapshot()),
            Map.entry("locked-row", new LockedRow()),
            Map.entry("outbox", new OutboxThroughput()),
            Map.entry("partitioned", new Partitioned()),
            Map.entry("peers", new Peers(false)),
            Map.entry("peers-full", new Peers(true)),
            Map.entry("signal-latency", new SignalLatency()),
            Map.entry("waiting", new WaitingSagas()),
            Map.entry("slow-participants", new SlowParticipants()),
            Map.entry("two-nodes", new TwoNodes()),
            Map.entry("unknown-definition", new UnknownDefinition())));

    private Benchmarks() {}

    /**
     * Runs it.
     *
     * @param args the scenario and its options
     * @throws Exception when it cannot be run
     */
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            System.err.println("which of " + SCENARIOS.keySet() + "?");
            System.exit(2);
        }
        System.exit(run(Arrays.asList(args)) ? 0 : 1);
    }

    static boolean run(List<String> args) throws Exception {
        String name = args.get(0);
        Scenario scenario = SCENARIOS.get(name);
        if (scenario == null) {
            throw new IllegalArgumentException(name + " is none of " + SCENARIOS.keySet());
        }
        List<String> options = args.subList(1, args.size());
        Map<String, String> defaults = new LinkedHashMap<>(scenario.defaults());
        defaults.putAll(Map.of("url", "", "user", "", "password", ""));
        defaults.put("out", "saga-benchmarks/target/" + name + ".txt");
        Settings settings = Settings.of(defaults, options);
        try (Server server = Server.of(settings);
                Report report = Report.to(Path.of(settings.text("out")))) {
            report.facts(settings, server);
            boolean met = scenario.run(settings, server, report);
            report.line("ended      %s, load average %s", Report.now(), Report.load());
            return met;
        }
    }
}
