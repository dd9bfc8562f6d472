package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.Reachable.Seen;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What is promised of the decision, of confirms and of cancels, looked for in each transition. */
final class ConfirmedRules {
    enum Rule {
        /** Only what was tried with success is confirmed. */
        NO_CONFIRM_WITHOUT_A_TRY,
        /** Nothing is confirmed before the decision. */
        NO_CONFIRM_BEFORE_THE_DECISION,
        /** After the decision nothing turns, and nothing is cancelled. */
        THE_DECISION_NEVER_FLIPS,
        /** A confirm that has begun ends by its success, or by an operator's force. */
        ONLY_SUCCESS_CONFIRMS,
        /** COMPLETED has confirmed every try. */
        ALL_ARE_CONFIRMED,
        /** COMPENSATED has confirmed none, and cancelled each that may have taken effect. */
        ALL_ARE_CANCELLED,
        /** Who waits for a try begins, after the decision, only when that is confirmed. */
        WHO_WAITS_WAITS_FOR_THE_CONFIRM,
        /** After the decision each try is being confirmed, or will be. */
        NO_CONFIRM_IS_FORGOTTEN,
        /** What has parked its saga is not under way. */
        WHAT_IS_PARKED_RESTS,
        /** A confirm parks its saga when it is spent or refused, and says which. */
        PARKS_FOR_A_TRUE_REASON,
        /** The first attempt to confirm is the first, and so is the first that an operator grants. */
        ATTEMPTS_OF_ITS_OWN
    }

    private static final int ATTEMPTS = 2;
    private static final Set<StepStatus> RECORDED =
            EnumSet.of(StepStatus.SUCCEEDED, StepStatus.SKIPPED, StepStatus.CONFIRMING, StepStatus.CONFIRMED);

    /** Where each rule was broken first. */
    final Map<Rule, Seen> broken = new TreeMap<>();

    /** How attempts to confirm have ended. */
    final Set<String> ways = new TreeSet<>();

    final Set<SagaState> states = new HashSet<>();
    long transitions;

    void look(Seen seen) {
        transitions++;
        states.add(seen.before());
        SagaState before = seen.before();
        SagaState after = seen.after().state();
        boolean flips = before.turned() == null && after.turned() != null || calls(seen, Phase.COMPENSATION);
        boolean decided = before.turned() == null && decided(seen.definition(), before);
        expect(!decided || !flips, Rule.THE_DECISION_NEVER_FLIPS, seen);
        expect(
                !calls(seen, Phase.CONFIRM) || decided(seen.definition(), after),
                Rule.NO_CONFIRM_BEFORE_THE_DECISION,
                seen);
        for (int i = 0; i < before.steps().size(); i++) {
            if (step(seen, i).confirming() == null) {
                waits(seen, i);
            } else {
                tried(seen, i);
                confirming(seen, i);
            }
        }
    }

    private void waits(Seen seen, int i) {
        boolean begins = was(seen, i).status() == StepStatus.PENDING
                && (isCalled(seen, i, Phase.ACTION) || isCalled(seen, i, Phase.CONDITION));
        boolean owed = step(seen, i).waitsFor().stream()
                .mapToInt(seen.definition()::indexOf)
                .filter(other -> step(seen, other).confirming() != null)
                .mapToObj(other -> is(seen, other).status())
                .anyMatch(status -> status != StepStatus.CONFIRMED && status != StepStatus.SKIPPED);
        expect(
                !begins || !owed || !decided(seen.definition(), seen.after().state()),
                Rule.WHO_WAITS_WAITS_FOR_THE_CONFIRM,
                seen);
    }

    private void tried(Seen seen, int i) {
        StepStatus was = was(seen, i).status();
        StepStatus is = is(seen, i).status();
        SagaState after = seen.after().state();
        boolean succeeds = was == StepStatus.EXECUTING && about(seen) == i && isDoneBy(seen.event()) || isTold(seen, i);
        expect(
                !isCalled(seen, i, Phase.CONFIRM)
                        || was == StepStatus.SUCCEEDED
                        || was == StepStatus.CONFIRMING
                        || succeeds,
                Rule.NO_CONFIRM_WITHOUT_A_TRY,
                seen);
        boolean ends = !seen.before().status().ended() && after.status().ended();
        expect(
                !ends
                        || after.status() != SagaStatus.COMPLETED
                        || is == StepStatus.CONFIRMED
                        || is == StepStatus.SKIPPED,
                Rule.ALL_ARE_CONFIRMED,
                seen);
        boolean left = is == StepStatus.CONFIRMED
                || is == StepStatus.CONFIRMING
                || is == StepStatus.SUCCEEDED
                || is == StepStatus.UNKNOWN
                || is(seen, i).inDoubt() && is != StepStatus.COMPENSATED;
        expect(!ends || after.status() != SagaStatus.COMPENSATED || !left, Rule.ALL_ARE_CANCELLED, seen);
        boolean decided = decided(seen.definition(), after) && after.status() == SagaStatus.RUNNING;
        boolean goesOn = is == StepStatus.SKIPPED
                || is == StepStatus.CONFIRMED
                || is == StepStatus.CONFIRMING
                        && (is(seen, i).underWay()
                                || is(seen, i).notBefore() != null
                                || seen.after().suspects().contains(i));
        expect(!decided || goesOn || !isRecorded(is), Rule.NO_CONFIRM_IS_FORGOTTEN, seen);
    }

    private void confirming(Seen seen, int i) {
        StepState was = was(seen, i);
        StepState is = is(seen, i);
        boolean ends = EventLabel.endsAnAttempt(seen.event())
                || seen.event() instanceof SagaEvent.Withdrawn
                || seen.event() instanceof SagaEvent.Stuck;
        boolean ended = ends && about(seen) == i && was.status() == StepStatus.CONFIRMING && was.underWay();
        boolean succeeds = ended && isDoneBy(seen.event());
        boolean stays = is.status() == was.status()
                || (succeeds || isTold(seen, i)) && is.status() == StepStatus.CONFIRMED
                || was.status() == StepStatus.CONFIRMING
                        && is.status() == StepStatus.UNKNOWN
                        && seen.event() instanceof SagaEvent.ForceCompleted;
        boolean confirms = was.status() == StepStatus.CONFIRMING || was.status() == StepStatus.CONFIRMED;
        expect(confirms ? stays : is.status() != StepStatus.CONFIRMED, Rule.ONLY_SUCCESS_CONFIRMS, seen);
        boolean broken = ended || seen.event() instanceof SagaEvent.Claimed e && e.takenOver();
        boolean rests = is.status() != StepStatus.CONFIRMING || !is.underWay() || was.underWay() && !broken;
        boolean parked = seen.before().status().active() && seen.after().state().status() == SagaStatus.FAILED;
        expect(!parked || rests, Rule.WHAT_IS_PARKED_RESTS, seen);
        boolean first = was.status() != StepStatus.CONFIRMING || seen.event() instanceof SagaEvent.Retried;
        expect(
                seen.after().calls().stream()
                        .filter(call -> call.step() == i && call.phase() == Phase.CONFIRM)
                        .allMatch(call -> !first || call.attempt() == 1),
                Rule.ATTEMPTS_OF_ITS_OWN,
                seen);
        if (ended && seen.before().status() == SagaStatus.RUNNING) {
            ways.add(EventLabel.of(seen.event()));
            expect(seen.after().state().parked() == parks(seen.event(), was), Rule.PARKS_FOR_A_TRUE_REASON, seen);
        }
    }

    /** Why the end of an attempt to confirm parks, or null. */
    private static @Nullable SagaReason parks(SagaEvent event, StepState was) {
        if (event instanceof SagaEvent.Rejected) {
            return SagaReason.RETRIABLE_REJECTED;
        }
        if (event instanceof SagaEvent.Stuck stuck) {
            return stuck.reason();
        }
        boolean spent = event instanceof SagaEvent.Failed e
                && e.outcome() != Outcome.INTERRUPTED
                && (!e.retryable() || was.failures() + 1 >= ATTEMPTS);
        return spent ? SagaReason.RETRIABLE_EXHAUSTED : null;
    }

    /** An operator says that it is so. */
    private static boolean isTold(Seen seen, int i) {
        return seen.event() instanceof SagaEvent.Resolved told
                && told.step() == i
                && told.resolution() == Resolution.SUCCEEDED;
    }

    private static boolean isDoneBy(SagaEvent event) {
        return event instanceof SagaEvent.Succeeded || event instanceof SagaEvent.Stuck s && s.onlyResultIsMissing();
    }

    private static boolean decided(SagaDefinition<?> definition, SagaState state) {
        IntStream steps = IntStream.range(0, state.steps().size());
        boolean pivot = definition.steps().stream().anyMatch(step -> step.kind() == StepKind.PIVOT);
        return steps.filter(i -> pivot
                        ? definition.steps().get(i).kind() == StepKind.PIVOT
                        : definition.steps().get(i).kind() != StepKind.BEST_EFFORT)
                .allMatch(i -> isRecorded(state.steps().get(i).status()));
    }

    private static boolean isRecorded(StepStatus status) {
        return RECORDED.contains(status);
    }

    private static int about(Seen seen) {
        return EventLabel.stepOf(seen.event());
    }

    private static StepDefinition step(Seen seen, int i) {
        return seen.definition().steps().get(i);
    }

    private static StepState was(Seen seen, int i) {
        return seen.before().steps().get(i);
    }

    private static StepState is(Seen seen, int i) {
        return seen.after().state().steps().get(i);
    }

    private static boolean calls(Seen seen, Phase phase) {
        return seen.after().calls().stream().anyMatch(call -> call.phase() == phase);
    }

    private static boolean isCalled(Seen seen, int i, Phase phase) {
        return seen.after().calls().stream().anyMatch(call -> call.step() == i && call.phase() == phase);
    }

    private void expect(boolean holds, Rule rule, Seen seen) {
        if (!holds) {
            broken.putIfAbsent(rule, seen);
        }
    }
}
