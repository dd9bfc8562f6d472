package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.state.SagaState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** A definition, by the index of its steps. */
final class Plan {
    private final SagaDefinition<?> definition;
    private final List<Set<Integer>> waitsFor;
    private final int pivot;

    Plan(SagaDefinition<?> definition) {
        this.definition = definition;
        this.waitsFor = definition.steps().stream().map(this::allBefore).toList();
        this.pivot =
                steps().filter(step -> kind(step) == StepKind.PIVOT).findFirst().orElse(-1);
    }

    private Set<Integer> allBefore(StepDefinition step) {
        Set<Integer> found = new HashSet<>();
        for (String name : step.waitsFor()) {
            int other = definition.indexOf(name);
            found.add(other);
            found.addAll(allBefore(definition.steps().get(other)));
        }
        return Set.copyOf(found);
    }

    SagaDefinition<?> definition() {
        return definition;
    }

    IntStream steps() {
        return IntStream.range(0, definition.steps().size());
    }

    StepDefinition step(int step) {
        return definition.steps().get(step);
    }

    StepKind kind(int step) {
        return step(step).kind();
    }

    boolean bestEffort(int step) {
        return kind(step) == StepKind.BEST_EFFORT;
    }

    /** The index of the pivot, or -1. */
    int pivot() {
        return pivot;
    }

    boolean strict() {
        return definition.strictCompensation();
    }

    /** Whether it waits for the other, directly or not. */
    boolean waitsFor(int step, int other) {
        return waitsFor.get(step).contains(other);
    }

    /** Whether it has a compensation. */
    boolean undoable(int step) {
        return kind(step) == StepKind.COMPENSATABLE && step(step).isUndone();
    }

    boolean conditional(int step) {
        return step(step).condition() != null;
    }

    /** Whether it starts a saga, and waits for its end, instead of calling anybody. */
    boolean startsChild(int step) {
        return step(step).child() != null;
    }

    /** Whether a call of its action may take effect without being recorded. */
    boolean remote(int step) {
        return !step(step).transactional() && !startsChild(step);
    }

    /** Whether undoing it is up to its child. */
    boolean undoneByChild(int step) {
        return startsChild(step) && undoable(step) && step(step).compensation() == null;
    }

    /** Whether it may have taken effect, or may be about to; to make the input of a child is none. */
    boolean mayTakeEffect(World world, int step) {
        boolean called = world.isUnderWay(step, Phase.ACTION) && !startsChild(step);
        return called || world.truth(step).mayBeThere();
    }

    /** Whether it waits for an answer, or for time to pass, instead of calling anybody. */
    boolean waits(int step) {
        return step(step).waiting() != null;
    }

    /** Whether it only lets time pass. */
    boolean delays(int step) {
        Waiting waiting = step(step).waiting();
        return waiting != null && waiting.what() == Waiting.What.DELAY;
    }

    /** How long it waits. */
    Duration waitingTime(int step) {
        return step(step).waiting().time();
    }

    /** Whether it may begin, as far as other steps go. */
    boolean ready(SagaState state, int step) {
        return waitsFor.get(step).stream().allMatch(other -> done(state, other));
    }

    private boolean done(SagaState state, int step) {
        StepStatus status = state.steps().get(step).status();
        return recorded(status) || bestEffort(step) && (status == StepStatus.GIVEN_UP || status == StepStatus.REJECTED);
    }

    /** Whether nothing turns the saga any more. */
    boolean decided(SagaState state) {
        return pivot >= 0
                ? recorded(state.steps().get(pivot).status())
                : steps().filter(step -> !bestEffort(step))
                        .allMatch(step -> recorded(state.steps().get(step).status()));
    }

    private static boolean recorded(StepStatus status) {
        return status == StepStatus.SUCCEEDED || status == StepStatus.SKIPPED;
    }
}
