package io.backstep.saga.chaos;

import java.util.Map;
import java.util.TreeMap;

/** What was done to the processes, counted. Safe for use by many threads. */
final class Injected {
    private final Map<String, Long> counts = new TreeMap<>();

    synchronized void add(String what, long count) {
        counts.merge(what, count, Long::sum);
    }

    synchronized long of(String what) {
        return counts.getOrDefault(what, 0L);
    }

    synchronized Map<String, Long> all() {
        return new TreeMap<>(counts);
    }
}
