package io.backstep.saga.benchmarks;

import java.util.function.ToDoubleFunction;

/**
 * What one window measured.
 *
 * @param sagas how many ended in it
 * @param seconds its length
 * @param sagasPerSecond how many ended in a second
 * @param p50Millis from before the start of a saga until its end was durable
 * @param p99Millis the same
 * @param maxMillis the same
 * @param jvmCpuMillis CPU of the JVM, clients included, for each saga
 * @param serverCpuMillis CPU of PostgreSQL for each saga
 * @param walBytes for each saga, full pages included
 * @param fullPages full-page images in it for each saga, of 8 kB at most
 * @param commits for each saga
 * @param heapMegabytes what the heap holds after a garbage collection, when all sagas have ended
 * @param before how many ended sagas the database had before
 */
record Sample(
        long sagas,
        double seconds,
        double sagasPerSecond,
        double p50Millis,
        double p99Millis,
        double maxMillis,
        double jvmCpuMillis,
        double serverCpuMillis,
        double walBytes,
        double fullPages,
        double commits,
        double heapMegabytes,
        long before) {
    static Sample of(Window window, Spent spent, double heapMegabytes, long before) {
        long sagas = window.latencies().getTotalCount();
        double each = Math.max(1, sagas);
        return new Sample(
                sagas,
                window.length().toNanos() / 1e9,
                window.perSecond(),
                window.millis(50),
                window.millis(99),
                window.latencies().getMaxValue() / 1000.0,
                spent.jvm() / each,
                spent.server() / each,
                spent.wal() / each,
                spent.fullPages() / each,
                spent.commits() / each,
                heapMegabytes,
                before);
    }

    /** Of two JVMs that were at work on one database at the same time, each of which has seen all of the server. */
    Sample beside(Sample other) {
        double all = Math.max(1, sagas + other.sagas);
        ToDoubleFunction<ToDoubleFunction<Sample>> sum =
                value -> (value.applyAsDouble(this) * sagas + value.applyAsDouble(other) * other.sagas) / all;
        return new Sample(
                sagas + other.sagas,
                seconds,
                sagasPerSecond + other.sagasPerSecond,
                Math.max(p50Millis, other.p50Millis),
                Math.max(p99Millis, other.p99Millis),
                Math.max(maxMillis, other.maxMillis),
                sum.applyAsDouble(Sample::jvmCpuMillis),
                sum.applyAsDouble(Sample::serverCpuMillis) / 2,
                sum.applyAsDouble(Sample::walBytes) / 2,
                sum.applyAsDouble(Sample::fullPages) / 2,
                sum.applyAsDouble(Sample::commits) / 2,
                heapMegabytes + other.heapMegabytes,
                before);
    }
}
