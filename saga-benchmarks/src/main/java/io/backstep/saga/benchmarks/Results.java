package io.backstep.saga.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What a run has measured, round by round.
 *
 * @param facts about the machine and the run, by name
 * @param windows all windows
 * @param takeovers how long it took until all sagas of a killed JVM had ended
 */
record Results(Map<String, String> facts, List<Row> windows, List<Takeover> takeovers) {
    /** A window. */
    record Row(int round, String contender, String workload, Sample sample) {}

    /** A kill: how many sagas had not ended then, how long it took until they had, and their lease, in seconds. */
    record Takeover(int round, String contender, long open, double seconds, double lease) {}

    Results(Map<String, String> facts) {
        this(facts, new ArrayList<>(), new ArrayList<>());
    }

    List<String> workloads() {
        return windows.stream().map(Row::workload).distinct().toList();
    }

    /** The windows of one workload by contender, rounds in order. */
    Map<String, List<Sample>> of(String workload) {
        Map<String, List<Sample>> found = new LinkedHashMap<>();
        for (Contenders contender : Contenders.values()) {
            List<Sample> samples = windows.stream()
                    .filter(row ->
                            row.workload().equals(workload) && row.contender().equals(contender.title()))
                    .map(Row::sample)
                    .toList();
            if (!samples.isEmpty()) {
                found.put(contender.title(), samples);
            }
        }
        return found;
    }

    static double median(List<Sample> samples, ToDoubleFunction<Sample> value) {
        return median(samples.stream().mapToDouble(value).toArray());
    }

    /** The median of what is found round by round: so many times the one is of the other. */
    static double ratio(List<Sample> one, List<Sample> other, ToDoubleFunction<Sample> value) {
        double[] ratios = new double[Math.min(one.size(), other.size())];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = value.applyAsDouble(one.get(i)) / value.applyAsDouble(other.get(i));
        }
        return median(ratios);
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
