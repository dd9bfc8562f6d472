package io.backstep.saga.simulation;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What a run has seen: faults, goals, and what became of TCC. */
final class Tally {
    final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    final Set<Goal> goals = EnumSet.noneOf(Goal.class);

    /** Sagas with a try that was called. */
    final Set<UUID> tried = new HashSet<>();

    final Set<UUID> confirmed = new HashSet<>();
    final Set<UUID> cancelled = new HashSet<>();

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

    void confirmed(UUID sagaId, boolean any) {
        if (any) {
            confirmed.add(sagaId);
            reach(Goal.CONFIRMED);
        }
    }

    void cancelled(UUID sagaId, boolean any) {
        if (any) {
            cancelled.add(sagaId);
            reach(Goal.CANCELLED);
        }
    }

    int faults() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }
}
