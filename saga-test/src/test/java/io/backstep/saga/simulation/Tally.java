package io.backstep.saga.simulation;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** What a run has seen: faults and goals. */
final class Tally {
    final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    final Set<Goal> goals = EnumSet.noneOf(Goal.class);

    void fault(Fault fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    void reach(Goal goal) {
        goals.add(goal);
    }

    void reachIf(boolean reached, Goal goal) {
        if (reached) {
            goals.add(goal);
        }
    }

    int faults() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }
}
