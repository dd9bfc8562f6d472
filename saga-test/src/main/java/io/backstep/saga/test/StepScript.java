package io.backstep.saga.test;

import io.backstep.saga.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What goes wrong with which attempt, on whichever node: the faults of a step follow each other, then nothing goes wrong. */
final class StepScript {
    private record Key(String step, Phase phase) {}

    private record Line(int times, StepFault fault) {}

    private final Map<Key, List<Line>> lines = new HashMap<>();
    private final Map<Key, Integer> calls = new HashMap<>();

    void add(String step, Phase phase, int times, StepFault fault) {
        if (times < 1) {
            throw new IllegalArgumentException("times is " + times + "; allowed is at least 1");
        }
        lines.computeIfAbsent(new Key(step, phase), key -> new ArrayList<>()).add(new Line(times, fault));
    }

    /** What goes wrong with the call that comes now. */
    StepFault next(String step, Phase phase) {
        Key key = new Key(step, phase);
        long call = calls.merge(key, 1, Integer::sum);
        for (Line line : lines.getOrDefault(key, List.of())) {
            if (call <= line.times()) {
                return line.fault();
            }
            call -= line.times();
        }
        return StepFault.NONE;
    }

    StepScript fresh() {
        StepScript copy = new StepScript();
        copy.lines.putAll(lines);
        return copy;
    }
}
