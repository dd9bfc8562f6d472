package io.backstep.saga.chaos.failpoints;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of a run, as a table. */
final class Report {
    private final EnumerationOptions options;
    private final Map<Scenario, Map<String, Integer>> reached;
    private final List<Result> walked;
    private final List<Result> results;

    Report(
            EnumerationOptions options,
            Map<Scenario, Map<String, Integer>> reached,
            List<Result> walked,
            List<Result> results) {
        this.options = options;
        this.reached = reached;
        this.walked = walked;
        this.results = results;
    }

    List<Result> results() {
        return results;
    }

    boolean green() {
        return reds().isEmpty() && neverReached().isEmpty() && neverHit().isEmpty();
    }

    private List<Result> reds() {
        return Stream.concat(walked.stream(), results.stream())
                .filter(result -> !result.green())
                .toList();
    }

    /** Names that no scenario passes: nothing is known of them. */
    private Set<String> neverReached() {
        Set<String> missing = new TreeSet<>(options.allScenarios() ? Points.ALL : List.of());
        reached.values().forEach(points -> missing.removeAll(points.keySet()));
        return missing;
    }

    /** Names with a fault that never came to pass. */
    private Set<String> neverHit() {
        Set<String> missing = new TreeSet<>();
        results.forEach(result -> missing.add(pointAndFault(result)));
        results.stream().filter(Result::hit).forEach(result -> missing.remove(pointAndFault(result)));
        return options.complete() ? missing : Set.of();
    }

    private static String pointAndFault(Result result) {
        Plan plan = result.played().plan().orElseThrow();
        return plan.point() + " " + plan.fault();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("%-24s".formatted("met and green, of all")
                + Stream.of(Fault.values()).map(" %12s"::formatted).collect(Collectors.joining())
                + "   scenarios");
        for (String point : Points.ALL) {
            lines.add(row(point));
        }
        lines.add("");
        reached.forEach((scenario, points) -> {
            Set<String> without = new TreeSet<>(Points.ALL);
            without.removeAll(points.keySet());
            lines.add(scenario + " never passes " + without.size() + ": " + String.join(" ", without));
        });
        lines.add("");
        results.stream()
                .filter(result -> result.green() && !result.hit())
                .forEach(result -> lines.add("not met: " + result.played()));
        reds().forEach(result -> lines.add(
                result + "\n       again: bin/failpoints " + result.played().options()));
        lines.addAll(summary());
        return lines;
    }

    private String row(String point) {
        StringBuilder row = new StringBuilder("%-24s".formatted(point));
        Set<Scenario> scenarios = new HashSet<>();
        for (Fault fault : Fault.values()) {
            List<Result> here = results.stream()
                    .filter(result -> pointAndFault(result).equals(point + " " + fault))
                    .toList();
            here.stream()
                    .filter(Result::hit)
                    .forEach(result -> scenarios.add(result.played().scenario()));
            long hits = here.stream()
                    .filter(result -> result.green() && result.hit())
                    .count();
            row.append(" %12s".formatted(hits + " of " + here.size()));
        }
        return row.append("   ").append(scenarios.size()).toString();
    }

    private List<String> summary() {
        List<String> lines = new ArrayList<>();
        long hits = results.stream().filter(Result::hit).count();
        if (!neverReached().isEmpty()) {
            lines.add("RED: no scenario passes " + neverReached());
        }
        if (!neverHit().isEmpty()) {
            lines.add("RED: never met " + neverHit());
        }
        lines.add("%d failpoints, %d faults, %d scenarios: %d cases, %d met, %d not met, %d red: %s"
                .formatted(
                        Points.ALL.size(),
                        options.faults().size(),
                        reached.size(),
                        results.size(),
                        hits,
                        results.size() - hits,
                        reds().size(),
                        green() ? "GREEN" : "RED"));
        return lines;
    }
}
