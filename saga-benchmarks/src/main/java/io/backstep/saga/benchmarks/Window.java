package io.backstep.saga.benchmarks;

import java.time.Duration;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What was measured in some time: each saga from before its start until its end was durable, in microseconds. */
record Window(Histogram latencies, Duration length, Duration oldestOpen) {
    static Window empty() {
        return new Window(new Histogram(3), Duration.ZERO, Duration.ZERO);
    }

    Window and(Window other) {
        Histogram all = latencies.copy();
        all.add(other.latencies);
        return new Window(
                all,
                length.plus(other.length),
                oldestOpen.compareTo(other.oldestOpen) > 0 ? oldestOpen : other.oldestOpen);
    }

    double millis(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1000.0;
    }

    double perSecond() {
        return length.isZero() ? 0 : latencies.getTotalCount() * 1000.0 / length.toMillis();
    }

    static String header() {
        return String.format(
                Locale.ROOT,
                "%9s %9s %8s %8s %8s %9s %11s",
                "sagas",
                "sagas/s",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "max ms",
                "oldest open");
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%9d %9.0f %8.2f %8.2f %8.2f %9.1f %11d",
                latencies.getTotalCount(),
                perSecond(),
                millis(50),
                millis(99),
                millis(99.9),
                latencies.getMaxValue() / 1000.0,
                oldestOpen.toMillis());
    }
}
