package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What must hold for a definition as a whole; what must hold for one step is in {@link StepChecks}. */
final class DefinitionChecks {
    private static final int MOST_STEPS = 100;
    private static final Duration LONGEST = Duration.ofDays(366);

    private final String where;
    private final List<StepDraft> steps;
    private final Faults faults = new Faults();

    DefinitionChecks(String where, List<StepDraft> steps) {
        this.where = where;
        this.steps = steps;
    }

    /** Throws all faults at once, if there are any. */
    void check(SagaType<?> type, int version, @Nullable Duration deadline) {
        checkVersion(version);
        checkDeadline(deadline);
        TypeChecks.fault(type.inputType())
                .ifPresent(fault -> faults.add("SAGA-DSL-017", where, "has as its input " + fault));
        checkBranches();
        checkCount();
        checkNames();
        checkSignals();
        checkOrder();
        GraphChecks graph = new GraphChecks(steps, faults);
        if (steps.size() <= MOST_STEPS) {
            graph.check();
        }
        steps.forEach(step -> new StepChecks(step, faults).check(deadline));
        faults.throwIfAny();
        graph.warnOfLoneBranches();
    }

    static boolean inRange(Duration duration) {
        return !duration.isZero() && !duration.isNegative() && duration.compareTo(LONGEST) <= 0;
    }

    private void checkVersion(int version) {
        if (version < 1) {
            faults.add("SAGA-DSL-028", where, "has version " + version + "; allowed is 1 or more");
        }
    }

    private void checkDeadline(@Nullable Duration deadline) {
        if (deadline != null && !inRange(deadline)) {
            faults.add(
                    "SAGA-DSL-029",
                    where,
                    "has deadline " + deadline + "; allowed is more than zero, at most 366 days");
        }
    }

    /** Of those that say where they stand: what says nothing waits for all before it. */
    private void checkBranches() {
        Map<Set<String>, Integer> branches = new LinkedHashMap<>();
        for (StepDraft step : steps) {
            Placement place = step.placement();
            if (place.saysAfter() || place.isAtStart()) {
                branches.merge(new TreeSet<>(place.named()), 1, Integer::sum);
            }
        }
        branches.forEach((names, count) -> {
            if (count > MOST_STEPS) {
                String after = names.isEmpty() ? "the start" : String.join(", ", names);
                faults.add(
                        "SAGA-DSL-014",
                        where,
                        "has " + count + " steps side by side, after " + after + "; allowed are " + MOST_STEPS);
            }
        });
    }

    private void checkCount() {
        if (steps.isEmpty()) {
            faults.add("SAGA-DSL-026", where, "has no step; it needs at least one");
        }
        if (steps.size() > MOST_STEPS) {
            faults.add("SAGA-DSL-027", where, "has " + steps.size() + " steps; allowed are " + MOST_STEPS);
        }
    }

    /** A signal is sent to one name, and one step takes it. */
    private void checkSignals() {
        Set<String> taken = new HashSet<>();
        steps.forEach(step -> taken.add(step.name().toLowerCase(Locale.ROOT)));
        for (StepDraft step : steps) {
            Settlement settlement = step.settlement();
            if (settlement != null && !taken.add(settlement.signal().toLowerCase(Locale.ROOT))) {
                faults.add(
                        "SAGA-DSL-044",
                        step.where(),
                        "awaits " + settlement.signal()
                                + " for its compensation, which is the name of a step or of another such wait; give it a name of its own");
            }
        }
    }

    private void checkNames() {
        Set<String> seen = new HashSet<>();
        for (StepDraft step : steps) {
            if (!seen.add(step.name().toLowerCase(Locale.ROOT))) {
                faults.add(
                        "SAGA-DSL-005",
                        step.where(),
                        "has the name of an earlier step; names must differ, and not by their case alone");
            }
        }
    }

    private void checkOrder() {
        @Nullable StepDraft pivot = null;
        for (StepDraft step : steps) {
            if (step.kind() == StepKind.PIVOT && pivot != null) {
                faults.add(
                        "SAGA-DSL-023", step.where(), "is a second pivot, after " + pivot.name() + "; allowed is one");
            } else if (step.kind() == StepKind.PIVOT) {
                pivot = step;
            } else {
                checkSide(step, pivot);
            }
        }
    }

    private void checkSide(StepDraft step, @Nullable StepDraft pivot) {
        if (step.kind() == StepKind.COMPENSATABLE && pivot != null) {
            faults.add(
                    "SAGA-DSL-024",
                    step.where(),
                    "is " + (step.isTcc() ? "a TCC step" : "compensatable") + " and comes after the pivot "
                            + pivot.name() + "; there only retriable and best-effort steps are allowed");
        }
        if (step.kind() == StepKind.RETRIABLE && pivot == null) {
            faults.add(
                    "SAGA-DSL-025",
                    step.where(),
                    "is retriable and no pivot comes before it; declare the pivot first, or make the step compensatable");
        }
    }
}
