package io.backstep.saga.admin;

import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.store.InstanceRow;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says in a sentence or two why a saga is not moving, or what it is doing. */
final class Why {
    private Why() {}

    static String of(Seen seen, List<SagaDetail.StepLine> steps) {
        String mail = seen.found().mail().stream()
                .map(letter -> " Mail waits for it: " + letter.kind() + ".")
                .collect(Collectors.joining());
        String children = seen.children().stream()
                .map(child -> " Its " + child.shown() + ".")
                .collect(Collectors.joining());
        return state(seen, steps) + children + mail;
    }

    private static String state(Seen seen, List<SagaDetail.StepLine> steps) {
        String word = Seen.unknownWord(seen.found());
        if (word != null) {
            return "This node does not know its " + word + ", and leaves it to one that does.";
        }
        if (seen.status().ended()) {
            return "It has ended.";
        }
        return seen.status().active() ? active(seen, steps) : parked(seen.row().reason());
    }

    private static String active(Seen seen, List<SagaDetail.StepLine> steps) {
        InstanceRow row = seen.row();
        Instant due = row.dueAt();
        if (seen.found().held()) {
            return "Node " + row.owner() + " holds it until " + due + " at least: " + doing(steps) + ".";
        }
        if (row.owner() != null) {
            return "Node " + row.owner() + " was lost; since " + due + " any node that knows " + definition(row)
                    + " may take it over." + here(seen);
        }
        if (due != null && due.isAfter(seen.found().now())) {
            return "It waits until " + due + ": " + doing(steps) + ".";
        }
        return "It is due since " + due + " and waits for a node that knows " + definition(row)
                + " and has a free worker." + here(seen);
    }

    private static String definition(InstanceRow row) {
        return row.name() + " v" + row.version();
    }

    private static String here(Seen seen) {
        return seen.obstacle() == null ? "" : " As for this one: " + seen.obstacle() + ".";
    }

    private static String doing(List<SagaDetail.StepLine> steps) {
        String doing = steps.stream().map(Why::doing).filter(Objects::nonNull).collect(Collectors.joining(", "));
        return doing.isEmpty() ? "nothing is under way" : doing;
    }

    private static @Nullable String doing(SagaDetail.StepLine step) {
        if (step.awaiting()) {
            return (step.status() == StepStatus.COMPENSATING ? "the compensation of " : "") + "step " + step.name()
                    + " waits" + (step.nextAttemptAt() == null ? "" : ", at most until " + step.nextAttemptAt());
        }
        int attempt = step.failures() + step.interruptions() + step.takeovers() + 1;
        String what = switch (step.status()) {
            case COMPENSATING -> "the compensation of ";
            case CONFIRMING -> "the confirm of ";
            default -> "";
        };
        if (step.probe() != null) {
            attempt = step.probe();
            what = "the probe of ";
        }
        return switch (step.status()) {
            case EXECUTING, WAITING, COMPENSATING, CONFIRMING ->
                what + "step " + step.name() + ", attempt " + attempt
                        + (step.nextAttemptAt() == null ? "" : " at " + step.nextAttemptAt());
            default -> null;
        };
    }

    private static String parked(@Nullable SagaReason reason) {
        if (reason == null) {
            return "It is parked.";
        }
        return switch (reason) {
            case WAIT_TIMEOUT ->
                "It is parked: what a step after the pivot waits for did not come in time. Retry waits once more; what has come meanwhile"
                        + " is taken then. Or resolve the step, when you know what came of it.";
            case COMPENSATION_EXHAUSTED ->
                "It is parked: at least one compensation failed for good, see the compensation log. Mend its participant, then"
                        + " retry-compensation; or undo it by hand, and resolve the step as COMPENSATED.";
            case PIVOT_UNKNOWN ->
                "It is parked: nobody knows whether its pivot took effect. Ask the participant; retry asks its probe, if it has one,"
                        + " and calls it again with the same key, unless it is to be called at most once. Or resolve it, as the participant says.";
            case RETRIABLE_EXHAUSTED ->
                "It is parked: a step after the pivot, or a confirm, has no attempts left. Mend its participant, then retry; or do by hand what it does, and"
                        + " resolve it as SUCCEEDED.";
            case RETRIABLE_REJECTED ->
                "It is parked: a step after the pivot, or a confirm, was rejected. Settle that with the participant, then retry, or resolve the step as"
                        + " SUCCEEDED.";
            case TAKEOVER_LIMIT ->
                "It is parked: nodes died again and again in the same step. Find out why before you retry or compensate.";
            case UNREADABLE ->
                "It is parked: what is stored cannot be read. It is kept as it is; retry when a version that can read it runs.";
            case STEP_UNKNOWN ->
                "It is parked: a stored step is not in its definition. Retry when a version runs whose definition has it.";
            case RESULT_TOO_LARGE ->
                "It is parked: the result of a step was too large to keep; its effect counts as done. Retry goes on without the result,"
                        + " compensate undoes it.";
            case RESULT_UNREADABLE ->
                "It is parked: the result of a step could not be written as JSON and read back, see the history; its effect counts as"
                        + " done. Retry goes on without the result, compensate undoes it.";
            case REJECTED, ATTEMPTS_EXHAUSTED, DEADLINE_EXCEEDED, CANCELLED, OPERATOR, UNANSWERED, PARENT ->
                "It is parked: " + reason + ".";
        };
    }
}
