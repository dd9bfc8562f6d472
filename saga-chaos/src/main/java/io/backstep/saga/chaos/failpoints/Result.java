package io.backstep.saga.chaos.failpoints;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What became of a case.
 *
 * @param played the case
 * @param hit whether the failpoint was met; always so without a plan
 * @param troubles what does not hold
 * @param reached how often each failpoint was passed; empty when the victim's JVM ended
 * @param took how long
 */
record Result(Case played, boolean hit, List<String> troubles, Map<String, Integer> reached, Duration took) {
    Result {
        troubles = List.copyOf(troubles);
        reached = Map.copyOf(reached);
    }

    boolean green() {
        return troubles.isEmpty();
    }

    @Override
    public String toString() {
        String kind = !green() ? "RED   " : hit ? "ok    " : "missed";
        StringBuilder text = new StringBuilder("%s %-60s %6d ms".formatted(kind, played, took.toMillis()));
        troubles.forEach(trouble -> text.append("\n       ").append(trouble.replace("\n", "\n       ")));
        return text.toString();
    }
}
