package io.backstep.saga.chaos.failpoints;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One fault in one scenario.
 *
 * @param scenario what is played
 * @param plan where the fault is, or empty for a play without any
 */
record Case(Scenario scenario, Optional<Plan> plan) {
    static final int PARTS = 12;

    /**
     * All that can be made of what each scenario passes. Recovery is passed by chance unless it is made necessary, which is done wherever it
     * is to meet a fault; that scenario of its own shows only that it works.
     */
    static List<Case> all(Map<Scenario, Map<String, Integer>> reached, boolean everyHit) {
        List<Case> cases = new ArrayList<>();
        reached.forEach((scenario, points) -> {
            if (scenario != Scenario.AMBIGUOUS) {
                Map<String, Integer> all = new TreeMap<>(points);
                Points.RECOVERY.forEach(point -> all.put(point, 1));
                all.forEach((point, times) -> cases.addAll(at(scenario, point, times, everyHit)));
            }
        });
        cases.sort(Comparator.comparing(Case::hash)); // spread: neighbours have little in common
        return cases;
    }

    private static List<Case> at(Scenario scenario, String point, int times, boolean everyHit) {
        return hits(Points.isBackground(point) ? 1 : times, everyHit)
                .mapToObj(hit -> Stream.of(Fault.values()).map(fault -> new Plan(point, hit, fault)))
                .flatMap(plans -> plans)
                .map(plan -> new Case(scenario, Optional.of(plan)))
                .toList();
    }

    /** Whether a recovery must be brought about first. */
    boolean needsRecovery() {
        return scenario == Scenario.AMBIGUOUS
                || plan.map(one -> Points.RECOVERY.contains(one.point())).orElse(false);
    }

    /** The first and the last, or all of them. */
    private static IntStream hits(int times, boolean every) {
        return every ? IntStream.rangeClosed(1, times) : IntStream.of(1, times).distinct();
    }

    /** The same in every run and on every machine. */
    private int hash() {
        return (scenario.name() + plan).hashCode() * 31;
    }

    /** Which of the parts it belongs to. */
    int part() {
        return Math.floorMod(hash() >> 8, PARTS);
    }

    boolean halts() {
        return plan.map(one -> one.fault() == Fault.HALT).orElse(false);
    }

    String command(String key) {
        return "case " + key + " " + scenario + plan.map(one -> " " + one).orElse("");
    }

    /** What plays it again, beside other passings of the failpoint. */
    String options() {
        return "--scenario " + scenario
                + plan.map(one -> " --only " + one.point() + " --fault " + one.fault())
                        .orElse("");
    }

    @Override
    public String toString() {
        return scenario + " " + plan.map(Plan::toString).orElse("without a fault");
    }
}
