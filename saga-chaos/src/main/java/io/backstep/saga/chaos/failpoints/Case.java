package io.backstep.saga.chaos.failpoints;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One fault in one scenario.
 *
 * @param scenario what is played
 * @param plan where the fault is, or empty for a play without any
 */
record Case(Scenario scenario, Optional<Plan> plan) {
    static final int SIXTHS = 6;

    /** All that can be made of what each scenario passes. */
    static List<Case> all(Map<Scenario, Map<String, Integer>> reached, boolean everyHit) {
        List<Case> cases = new ArrayList<>();
        reached.forEach((scenario, points) -> points.forEach((point, times) -> {
            hits(Points.isBackground(point) ? 1 : times, everyHit)
                    .mapToObj(hit -> Stream.of(Fault.values()).map(fault -> new Plan(point, hit, fault)))
                    .flatMap(plans -> plans)
                    .forEach(plan -> cases.add(new Case(scenario, Optional.of(plan))));
        }));
        cases.removeIf(one -> one.scenario() == Scenario.AMBIGUOUS && !one.isRecovery());
        cases.sort(Comparator.comparing(Case::hash)); // spread: neighbours have little in common
        return cases;
    }

    private boolean isRecovery() {
        return plan.map(one -> one.point().startsWith("recover.")).orElse(false);
    }

    /** The first and the last, or all of them. */
    private static IntStream hits(int times, boolean every) {
        return every ? IntStream.rangeClosed(1, times) : IntStream.of(1, times).distinct();
    }

    /** The same in every run and on every machine. */
    private int hash() {
        return (scenario.name() + plan).hashCode() * 31;
    }

    /** Which sixth of all cases it belongs to. */
    int sixth() {
        return Math.floorMod(hash() >> 8, SIXTHS);
    }

    boolean halts() {
        return plan.map(one -> one.fault() == Fault.HALT).orElse(false);
    }

    String command(String key) {
        return "case " + key + " " + scenario + plan.map(one -> " " + one).orElse("");
    }

    @Override
    public String toString() {
        return scenario + " " + plan.map(Plan::toString).orElse("without a fault");
    }
}
