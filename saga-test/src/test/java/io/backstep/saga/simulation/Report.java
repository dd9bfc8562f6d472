package io.backstep.saga.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What many runs have seen together. */
final class Report {
    final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
    final Map<Goal, Long> goals = new EnumMap<>(Goal.class);
    final List<Run> failures = new ArrayList<>();
    long runs;
    private long tried;
    private long triedWithFaults;
    private long confirmed;
    private long cancelled;
    private long events;

    synchronized void add(Run run) {
        runs++;
        events += run.events();
        run.tally().faults.forEach((fault, count) -> faults.merge(fault, (long) count, Long::sum));
        run.tally().goals.forEach(goal -> goals.merge(goal, 1L, Long::sum));
        tried += run.tally().tried.size();
        triedWithFaults += run.tally().faults() > 0 ? run.tally().tried.size() : 0;
        confirmed += run.tally().confirmed.size();
        cancelled += run.tally().cancelled.size();
        if (run.failure() != null) {
            failures.add(run);
        }
    }

    synchronized boolean failed() {
        return !failures.isEmpty();
    }

    Set<Goal> missing() {
        Set<Goal> missing = EnumSet.allOf(Goal.class);
        missing.removeAll(goals.keySet());
        missing.removeIf(goal -> goal.within > runs);
        return missing;
    }

    /** Of the sagas with TCC steps that have called a try; the rest was parked, ended by force, or had nothing reserved in the end. */
    String tcc() {
        return "TCC transactions: " + tried + ", with faults " + triedWithFaults + ", confirmed " + confirmed
                + ", cancelled " + cancelled;
    }

    double faultsPerSeed() {
        return faults.values().stream().mapToLong(Long::longValue).sum() / (double) Math.max(1, runs);
    }

    double eventsPerSeed() {
        return events / (double) Math.max(1, runs);
    }
}
