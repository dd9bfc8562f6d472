package io.backstep.saga.test.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** What was found wrong: for each rule how often, and how it first came about. */
final class Findings {
    private final Map<String, String> first = new TreeMap<>();
    private final Map<String, Integer> times = new TreeMap<>();
    private final List<String> broken = new ArrayList<>();

    /** A rule of the contract. */
    void expect(boolean holds, String rule) {
        if (!holds) {
            broken.add(rule);
        }
    }

    /** Files what was broken since the last time, with the way to it. */
    boolean file(String saga, Supplier<String> way) {
        if (broken.isEmpty()) {
            return false;
        }
        for (String rule : broken) {
            times.merge(rule, 1, Integer::sum);
            first.computeIfAbsent(rule, r -> saga + ": " + way.get());
        }
        broken.clear();
        return true;
    }

    /** The rules that were broken. */
    List<String> rules() {
        return List.copyOf(first.keySet());
    }

    /** Those of one group. */
    List<String> rules(String group) {
        return first.keySet().stream()
                .filter(rule -> rule.startsWith(group + ": "))
                .toList();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        first.forEach((rule, way) -> text.append("\n== ")
                .append(rule)
                .append(" (")
                .append(times.get(rule))
                .append(" times)\n")
                .append(way)
                .append('\n'));
        return text.toString();
    }
}
