package io.backstep.saga.test;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.test.Effects.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** What must hold of the effects when a saga has ended. */
final class EffectChecks {
    private final SagaDefinition<?> definition;
    private final Effects effects;

    /** How many effects of each step are left when nothing goes wrong. */
    private final Map<String, Integer> usual;

    /** How many confirms of each step there are then. */
    private final Map<String, Integer> usualConfirms;

    EffectChecks(
            SagaDefinition<?> definition,
            Effects effects,
            Map<String, Integer> usual,
            Map<String, Integer> usualConfirms) {
        this.definition = definition;
        this.effects = effects;
        this.usual = usual;
        this.usualConfirms = usualConfirms;
    }

    List<String> problems(UUID saga, SagaStatus status) {
        List<String> problems = new ArrayList<>();
        perKey(problems);
        Set<String> steps = new LinkedHashSet<>(usual.keySet());
        steps.addAll(effects.steps(saga));
        for (String step : steps) {
            ofStep(problems, saga, step, status);
        }
        return problems;
    }

    /** How many effects a child has in the end depends on its input: only what is undone is compared. */
    List<String> problemsOfChild(UUID saga, SagaStatus status) {
        List<String> problems = new ArrayList<>();
        for (String step : effects.steps(saga)) {
            int done = effects.count(saga, step, Kind.APPLIED);
            int undone = effects.count(saga, step, Kind.UNDONE);
            if (undone > done || status == SagaStatus.COMPENSATED && isUndone(step) && done != undone) {
                problems.add("step " + step + " of its child " + definition + ", which is " + status + ", took effect "
                        + times(done) + " and was undone " + times(undone));
            }
        }
        return problems;
    }

    private void perKey(List<String> problems) {
        Map<String, Long> counts = effects.all().stream()
                .filter(effect -> effect.kind() != Kind.UNDONE)
                .collect(Collectors.groupingBy(
                        effect -> (effect.kind() == Kind.CONFIRMED ? "the confirm of " : "") + "step " + effect.step()
                                + " under the key " + effect.key(),
                        Collectors.counting()));
        counts.forEach((what, count) -> {
            if (count > 1) {
                problems.add(count + " effects of " + what
                        + ": a participant must do nothing when it is asked again with the same key");
            }
        });
    }

    private void ofStep(List<String> problems, UUID saga, String step, SagaStatus status) {
        int done = effects.count(saga, step, Kind.APPLIED);
        int undone = effects.count(saga, step, Kind.UNDONE);
        ofConfirm(problems, step, done - undone, effects.count(saga, step, Kind.CONFIRMED), status);
        if (undone > done) {
            problems.add("step " + step + " was undone " + times(undone) + ", and had taken effect " + times(done)
                    + ": a compensation must stand being called again, and for an action that never arrived");
        } else if (status == SagaStatus.COMPLETED && isTooFewOrMany(step, done - undone)) {
            problems.add("it is COMPLETED with " + (done - undone) + " effects of step " + step + " left, not "
                    + usual.getOrDefault(step, 0) + " as without faults: " + effects.of(saga, step)
                    + "; does each call pass on context.idempotencyKey()?");
        } else if (status == SagaStatus.COMPENSATED && isUndone(step) && done != undone) {
            problems.add("it is COMPENSATED, and " + (done - undone) + " effects of step " + step + " are left: "
                    + effects.of(saga, step));
        }
    }

    /** A confirm is of a try that is there, and of every one once the saga is COMPLETED, if confirms are told at all. */
    private void ofConfirm(List<String> problems, String step, int left, int confirmed, SagaStatus status) {
        if (confirmed > left) {
            problems.add("step " + step + " was confirmed " + times(confirmed) + ", and " + left
                    + " effects of its try are left: nothing may be confirmed that was cancelled, or not tried");
        } else if (status == SagaStatus.COMPLETED && confirmed < usualConfirms.getOrDefault(step, 0)) {
            problems.add("it is COMPLETED, and step " + step + " was confirmed " + times(confirmed));
        }
    }

    private static String times(int count) {
        return count == 0 ? "never" : count == 1 ? "once" : count + " times";
    }

    private boolean isTooFewOrMany(String step, int left) {
        int at = definition.indexOf(step);
        boolean bestEffort = at >= 0 && definition.steps().get(at).kind() == StepKind.BEST_EFFORT;
        int expected = usual.getOrDefault(step, 0);
        return left > expected || left < expected && !bestEffort;
    }

    private boolean isUndone(String step) {
        int at = definition.indexOf(step);
        if (at < 0) {
            return false;
        }
        StepDefinition found = definition.steps().get(at);
        return found.compensation() != null || found.kind() == StepKind.PIVOT;
    }
}
