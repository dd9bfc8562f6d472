package io.backstep.saga.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What must be shown of our engine, as far as a run has measured it. */
final class Bars {
    private static final String OURS = Contenders.BACKSTEP.title();

    /**
     * One bar.
     *
     * @param what it says, for people
     * @param value what was measured
     * @param bound what is allowed
     * @param atLeast whether the bound is the least, else the most
     */
    record Bar(String what, double value, double bound, boolean atLeast) {
        boolean met() {
            return atLeast ? value >= bound : value <= bound;
        }
    }

    private final Results results;
    private final List<Bar> bars = new ArrayList<>();

    private Bars(Results results) {
        this.results = results;
    }

    static List<Bar> of(Results results) {
        Bars bars = new Bars(results);
        bars.throughput();
        bars.latency();
        bars.cost();
        bars.full();
        bars.takeover();
        return bars.bars;
    }

    private void throughput() {
        atLeast("W1:256", Contenders.DBOS, 12);
        atLeast("W1:256", Contenders.JDBC_LOOP, 8);
        atLeast("W1:256", Contenders.DB_SCHEDULER, 7);
        atLeast("W1:256", Contenders.CEILING, 0.7);
        atLeast("W1:64", Contenders.DBOS, 8);
        atLeast("W1:64", Contenders.JDBC_LOOP, 5);
        atLeast("W1:16", Contenders.JDBC_LOOP, 1.7);
        atLeast("W2:64", Contenders.DBOS, 9);
        atLeast("W2:64", Contenders.JDBC_LOOP, 5);
    }

    private void latency() {
        atMost("W3:1", Contenders.JDBC_LOOP, "p50", Sample::p50Millis, 0.8);
        atMost("W3:1", Contenders.JDBC_LOOP, "p99", Sample::p99Millis, 1.2);
        atMost("W3:1", Contenders.DBOS, "p50", Sample::p50Millis, 0.8);
        atMost("W3:1", Contenders.DBOS, "p99", Sample::p99Millis, 0.8);
    }

    private void cost() {
        List<Sample> ours = results.of("W1:256").getOrDefault(OURS, List.of());
        if (!ours.isEmpty()) {
            most("W1:256: commits per saga", Results.median(ours, Sample::commits), 0.1);
            most("W1:256: bytes of WAL per saga", Results.median(ours, Sample::walBytes), 2800);
            most("W1:256: microseconds of JVM CPU per step", Results.median(ours, Sample::jvmCpuMillis) * 250, 40);
        }
    }

    /** Finished sagas cost disk, not time. */
    private void full() {
        for (String workload : results.workloads()) {
            List<Sample> full = results.of(workload).getOrDefault(OURS, List.of());
            List<Sample> empty = results.of(workload.replace("W5", "W1")).getOrDefault(OURS, List.of());
            if (workload.startsWith("W5") && !empty.isEmpty()) {
                double ratio = Results.ratio(full, empty, Sample::sagasPerSecond);
                bars.add(new Bar(workload + ": sagas/s, of those without finished sagas", ratio, 0.9, true));
            }
        }
    }

    /** The worst of them, not the median. */
    private void takeover() {
        results.takeovers().stream()
                .mapToDouble(one -> one.seconds() - one.lease())
                .max()
                .ifPresent(late -> most("W6: seconds until all had ended, beyond the lease", late, 2));
    }

    private void atLeast(String workload, Contenders other, double bound) {
        compare(workload, other, "sagas/s", Sample::sagasPerSecond, bound, true);
    }

    private void atMost(String workload, Contenders other, String what, ToDoubleFunction<Sample> value, double bound) {
        compare(workload, other, what, value, bound, false);
    }

    private void compare(
            String workload,
            Contenders other,
            String what,
            ToDoubleFunction<Sample> value,
            double bound,
            boolean atLeast) {
        Map<String, List<Sample>> found = results.of(workload);
        List<Sample> ours = found.get(OURS);
        List<Sample> theirs = found.get(other.title());
        if (ours != null && theirs != null) {
            String text = String.format(Locale.ROOT, "%s: %s, times that of %s", workload, what, other.title());
            bars.add(new Bar(text, Results.ratio(ours, theirs, value), bound, atLeast));
        }
    }

    private void most(String what, double value, double bound) {
        bars.add(new Bar(what, value, bound, false));
    }
}
