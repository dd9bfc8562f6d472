package io.backstep.saga.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes what a run has measured for people and for programs: {@code results.json}, {@code results.md} and charts. */
final class Pages {
    private static final String OURS = Contenders.BACKSTEP.title();
    private static final String HEAD = """
            | | sagas/s | backstep is so many times as fast | p50 ms | p99 ms | max ms | JVM CPU ms/saga | PostgreSQL CPU ms/saga | WAL bytes/saga | full pages/saga | commits/saga | heap MB |
            |---|---|---|---|---|---|---|---|---|---|---|---|
            """;

    private final Results results;

    Pages(Results results) {
        this.results = results;
    }

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        JsonMapper json =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        Files.writeString(folder.resolve("results.json"), json.writeValueAsString(results) + "\n");
        Files.writeString(folder.resolve("results.md"), markdown());
        for (String workload : results.workloads()) {
            boolean alone = workload.endsWith(":1");
            String title = workload + (alone ? ", p50 in ms (less is better)" : ", sagas per second (more is better)");
            ToDoubleFunction<Sample> value = alone ? Sample::p50Millis : Sample::sagasPerSecond;
            Map<String, Double> bars = new LinkedHashMap<>();
            results.of(workload).forEach((name, samples) -> bars.put(name, Results.median(samples, value)));
            Files.writeString(folder.resolve(chart(workload)), Chart.of(title, bars, OURS));
        }
    }

    private static String chart(String workload) {
        return workload.toLowerCase(Locale.ROOT).replace(':', '-') + ".svg";
    }

    String markdown() {
        StringBuilder page = new StringBuilder("# Results\n\n");
        page.append(
                "Made by the command below: don't edit. [../benchmarks.md](../benchmarks.md) says what was run.\n\n");
        results.facts().forEach((name, value) -> page.append("- " + name + ": " + value + "\n"));
        page.append("\nMedians over the rounds; a ratio is the median of the rounds' ratios.\n");
        results.workloads().forEach(workload -> append(page, workload));
        takeovers(page);
        bars(page);
        return page.toString();
    }

    private void append(StringBuilder page, String workload) {
        Map<String, List<Sample>> found = results.of(workload);
        List<Sample> ours = found.getOrDefault(OURS, List.of());
        page.append("\n## " + workload + "\n\n").append(HEAD);
        found.forEach((name, samples) -> page.append(line(name, samples, ours)));
        page.append("\n![" + workload + "](" + chart(workload) + ")\n");
    }

    private static String line(String name, List<Sample> samples, List<Sample> ours) {
        double ratio = Results.ratio(ours, samples, Sample::sagasPerSecond);
        StringBuilder line = new StringBuilder("| " + name);
        cell(line, Results.median(samples, Sample::sagasPerSecond));
        cell(line, ratio);
        List<ToDoubleFunction<Sample>> rest = List.of(
                Sample::p50Millis,
                Sample::p99Millis,
                Sample::maxMillis,
                Sample::jvmCpuMillis,
                Sample::serverCpuMillis,
                Sample::walBytes,
                Sample::fullPages,
                Sample::commits,
                Sample::heapMegabytes);
        rest.forEach(value -> cell(line, Results.median(samples, value)));
        return line.append(" |\n").toString();
    }

    private static void cell(StringBuilder line, double value) {
        line.append(" | ").append(Double.isFinite(value) ? Chart.number(value) : "-");
    }

    private void takeovers(StringBuilder page) {
        if (results.takeovers().isEmpty()) {
            return;
        }
        page.append("\n## W6: one JVM is killed, another takes over\n\n");
        page.append("| round | | not ended at the kill | seconds until all had ended |\n|---|---|---|---|\n");
        results.takeovers()
                .forEach(one -> page.append(String.format(
                        Locale.ROOT,
                        "| %d | %s | %d | %.2f |%n",
                        one.round(),
                        one.contender(),
                        one.open(),
                        one.seconds())));
    }

    private void bars(StringBuilder page) {
        List<Bars.Bar> bars = Bars.of(results);
        if (bars.isEmpty()) {
            return;
        }
        page.append("\n## Bars\n\n| backstep | measured | bar | |\n|---|---|---|---|\n");
        for (Bars.Bar bar : bars) {
            page.append("| " + bar.what() + " | " + Chart.number(bar.value()) + " | "
                    + (bar.atLeast() ? "at least " : "at most ") + Chart.number(bar.bound()) + " | "
                    + (bar.met() ? "met" : "MISSED") + " |\n");
        }
    }
}
