package io.backstep.saga.definition;

import io.backstep.saga.Shown;
import io.backstep.saga.Step;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must hold for the steps that a step waits for. */
final class GraphChecks {
    private static final Logger log = LoggerFactory.getLogger(GraphChecks.class);

    private final List<StepDraft> steps;
    private final Faults faults;
    private final List<String> names;

    /** All that a step waits for, directly or not; of what is named wrongly, nothing. */
    private final List<BitSet> before = new ArrayList<>();

    GraphChecks(List<StepDraft> steps, Faults faults) {
        this.steps = steps;
        this.faults = faults;
        this.names = steps.stream().map(StepDraft::name).toList();
    }

    void check() {
        for (int i = 0; i < steps.size(); i++) {
            checkWords(steps.get(i));
            boolean known = checkNames(i);
            checkResults(i);
            before.add(allBefore(i));
            if (known) {
                checkDecision(i);
            }
        }
    }

    /** What stands beside nothing and joins nothing stands where it would without a word. */
    void warnOfLoneBranches() {
        for (int i = 0; i < steps.size(); i++) {
            Placement place = steps.get(i).placement();
            boolean branch =
                    place.isAtStart() || place.saysAfter() && place.named().size() == 1;
            if (branch && isAlone(i)) {
                log.warn(
                        "{} says {} and nothing runs beside it: a branch of one step, as if it said nothing",
                        steps.get(i).where(),
                        place.isAtStart()
                                ? "afterStart()"
                                : "after(" + place.named().get(0) + ")");
            }
        }
    }

    private boolean isAlone(int i) {
        for (int other = 0; other < steps.size(); other++) {
            boolean ordered =
                    other < i ? before.get(i).get(other) : before.get(other).get(i);
            if (other != i && !ordered) {
                return false;
            }
        }
        return true;
    }

    private void checkWords(StepDraft step) {
        Placement place = step.placement();
        if (place.saysAfter() && place.named().isEmpty()) {
            add(step, "SAGA-DSL-014", "says after() without a step; name at least one, or say afterStart()");
        }
        if (place.saysAfter() && place.isAtStart()) {
            add(
                    step,
                    "SAGA-DSL-032",
                    "says both afterStart() and after(" + String.join(", ", place.named()) + "); say one of them");
        }
        Set<String> seen = new HashSet<>();
        place.named().stream()
                .filter(name -> !seen.add(name))
                .distinct()
                .forEach(name -> add(
                        step,
                        "SAGA-DSL-031",
                        "names " + Shown.quoted(name) + " more than once in after(...); once is enough"));
    }

    private boolean checkNames(int i) {
        List<String> wrong = steps.get(i).placement().named().stream()
                .distinct()
                .filter(name -> !names.subList(0, i).contains(name))
                .toList();
        wrong.forEach(name -> add(
                steps.get(i),
                "SAGA-DSL-013",
                "waits for " + Shown.quoted(name) + ", " + what(i, name)
                        + "; allowed are the steps declared before it: "
                        + (i == 0 ? "none" : String.join(", ", names.subList(0, i)))));
        return wrong.isEmpty();
    }

    /** A step of that name with another result is not the one that is meant. */
    private void checkResults(int i) {
        for (Step<?> meant : steps.get(i).placement().typed()) {
            int other = names.subList(0, i).indexOf(meant.name());
            Type result = other < 0 ? null : steps.get(other).resultType();
            if (other >= 0 && !meant.resultType().equals(result)) {
                add(
                        steps.get(i),
                        "SAGA-DSL-013",
                        "waits for " + Shown.quoted(meant.name()) + " with a result of "
                                + meant.resultType().getTypeName() + ", but that step has "
                                + (result == null ? "none" : "one of " + result.getTypeName())
                                + "; allowed are the step itself, or its name");
            }
        }
    }

    private String what(int i, String name) {
        int other = names.indexOf(name);
        if (other < 0) {
            return "which is no step of this saga";
        }
        if (other == i) {
            return "which is itself";
        }
        List<String> way = new ArrayList<>(List.of(names.get(i)));
        boolean cycle = findWay(other, i, new BitSet(), way);
        return "which is declared later" + (cycle ? " and waits for it: " + String.join(" -> ", way) : "");
    }

    /** From one step over those that it waits for to another; the way is added. */
    private boolean findWay(int from, int to, BitSet seen, List<String> way) {
        way.add(names.get(from));
        if (from == to) {
            return true;
        }
        seen.set(from);
        for (int next = 0; next < steps.size(); next++) {
            if (saysToWait(from, next) && !seen.get(next) && findWay(next, to, seen, way)) {
                return true;
            }
        }
        way.remove(way.size() - 1);
        return false;
    }

    private boolean saysToWait(int step, int other) {
        Placement place = steps.get(step).placement();
        return place.isLinear() ? other < step : place.named().contains(names.get(other));
    }

    private BitSet allBefore(int i) {
        BitSet all = new BitSet();
        for (int other = 0; other < i; other++) {
            if (saysToWait(i, other)) {
                all.set(other);
                all.or(before.get(other));
            }
        }
        return all;
    }

    /** The pivot comes after all that can be undone, and what must succeed after the pivot. */
    private void checkDecision(int i) {
        StepDraft step = steps.get(i);
        if (step.kind() == StepKind.PIVOT) {
            List<String> forgotten =
                    earlier(i, StepKind.COMPENSATABLE, other -> !before.get(i).get(names.indexOf(other)));
            if (!forgotten.isEmpty()) {
                add(
                        step,
                        "SAGA-DSL-033",
                        "is the pivot and does not wait for the compensatable " + String.join(", ", forgotten)
                                + ", which could no longer be undone; name them, or steps that wait for them, in after(...)");
            }
        } else if (step.kind() == StepKind.RETRIABLE) {
            earlier(i, StepKind.PIVOT, pivot -> !before.get(i).get(names.indexOf(pivot)))
                    .forEach(pivot -> add(
                            step,
                            "SAGA-DSL-025",
                            "is retriable and does not wait for the pivot " + pivot
                                    + "; name it, or a step that waits for it, in after(...)"));
        }
    }

    private List<String> earlier(int i, StepKind kind, Predicate<String> which) {
        return steps.subList(0, i).stream()
                .filter(step -> step.kind() == kind)
                .map(StepDraft::name)
                .filter(which)
                .collect(Collectors.toList());
    }

    private void add(StepDraft step, String code, String what) {
        faults.add(code, step.where(), what);
    }
}
