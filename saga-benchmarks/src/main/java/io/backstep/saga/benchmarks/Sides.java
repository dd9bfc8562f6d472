package io.backstep.saga.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Windows of several sides in turn, each round beginning with another one, and how much the one does of the other. */
final class Sides {
    /** What has a window in each round. */
    interface Side {
        Sample window() throws Exception;
    }

    private static final String HEAD = "%-22s %9s %8s %8s %12s %12s %9s %8s %8s";
    private static final List<ToDoubleFunction<Sample>> SHOWN = List.of(
            Sample::sagasPerSecond,
            Sample::p50Millis,
            Sample::p99Millis,
            Sample::jvmCpuMillis,
            Sample::serverCpuMillis,
            Sample::walBytes,
            Sample::commits,
            Sample::heapMegabytes);

    private final Report report;
    private final Map<String, Side> sides = new LinkedHashMap<>();
    private final Map<String, List<Sample>> samples = new LinkedHashMap<>();

    Sides(Report report) {
        this.report = report;
    }

    /** The options of every comparison. */
    static Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("rounds", "5");
        defaults.put("seconds", "10");
        defaults.put("settle-seconds", "3");
        defaults.put("warmup-seconds", "10");
        return defaults;
    }

    Sides with(String name, Side side) {
        sides.put(name, side);
        return this;
    }

    Sides run(int rounds) throws Exception {
        report.line("round " + HEAD + " %5s", header("load"));
        for (int round = 1; round <= rounds; round++) {
            List<Map.Entry<String, Side>> order = new ArrayList<>(sides.entrySet());
            Collections.rotate(order, round - 1);
            for (Map.Entry<String, Side> side : order) {
                Sample sample = side.getValue().window();
                samples.computeIfAbsent(side.getKey(), name -> new ArrayList<>())
                        .add(sample);
                report.line("%5d %s %5s", round, row(side.getKey(), List.of(sample)), Report.load());
            }
        }
        report.line("");
        report.line("medians");
        samples.forEach((name, all) -> report.line("      %s", row(name, all)));
        return this;
    }

    private static Object[] header(String last) {
        return new Object[] {
            "", "sagas/s", "p50 ms", "p99 ms", "JVM ms/saga", "PG ms/saga", "WAL/saga", "commits", "heap MB", last
        };
    }

    private static String row(String name, List<Sample> of) {
        List<Object> cells = new ArrayList<>(List.of(name));
        SHOWN.forEach(value -> cells.add(Results.median(of, value)));
        return String.format(Locale.ROOT, "%-22s %9.0f %8.2f %8.2f %12.3f %12.3f %9.0f %8.3f %8.0f", cells.toArray());
    }

    /** The median of the rounds' ratios of sagas a second. */
    double ratio(String one, String other) {
        return Results.ratio(of(one), of(other), Sample::sagasPerSecond);
    }

    double median(String side, ToDoubleFunction<Sample> value) {
        return Results.median(of(side), value);
    }

    private List<Sample> of(String side) {
        return samples.getOrDefault(side, List.of());
    }
}
