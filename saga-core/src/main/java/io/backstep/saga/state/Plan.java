package io.backstep.saga.state;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import java.util.List;
import java.util.stream.IntStream;

/** What a definition says, by the index of the steps. */
final class Plan {
    /** A step that has killed so many nodes runs alone. */
    static final int SUSPECT_TAKEOVERS = 2;

    /** A step that has killed so many nodes is not called again. */
    static final int MOST_TAKEOVERS = 5;

    private final SagaDefinition<?> definition;
    private final List<List<Integer>> waitsFor;
    private final int pivot;

    Plan(SagaDefinition<?> definition) {
        this.definition = definition;
        this.waitsFor = definition.steps().stream()
                .map(step -> step.waitsFor().stream().map(definition::indexOf).toList())
                .toList();
        this.pivot = indices().filter(i -> is(i, StepKind.PIVOT)).findFirst().orElse(-1);
    }

    IntStream indices() {
        return IntStream.range(0, definition.steps().size());
    }

    StepDefinition step(int i) {
        return definition.steps().get(i);
    }

    boolean is(int i, StepKind kind) {
        return step(i).kind() == kind;
    }

    /** Whether an attempt of its action may take effect without being recorded. */
    boolean remote(int i) {
        return !step(i).transactional() && !startsChild(i);
    }

    /** Whether it starts a saga of its own, and waits for its end. */
    boolean startsChild(int i) {
        return step(i).child() != null;
    }

    /** Whether it is confirmed once the saga is decided. */
    boolean isTcc(int i) {
        return step(i).confirming() != null;
    }

    /** Whether, once completed, it is not undone for its parent. */
    boolean staysCompleted() {
        return definition.staysCompleted();
    }

    boolean undoneByChild(int i) {
        return step(i).undoneByChild();
    }

    boolean hasCondition(int i) {
        return step(i).condition() != null;
    }

    /** Whether it waits for something instead of calling somebody. */
    boolean waits(int i) {
        return step(i).waiting() != null;
    }

    /** Whether it only lets time pass. */
    boolean delays(int i) {
        Waiting waiting = step(i).waiting();
        return waiting != null && waiting.what() == Waiting.What.DELAY;
    }

    /** Whether its compensation, once called, waits for its effect. */
    boolean settles(int i) {
        return step(i).settlement() != null;
    }

    boolean hasProbe(int i) {
        return step(i).probe() != null;
    }

    List<Integer> waitsFor(int i) {
        return waitsFor.get(i);
    }

    /** The index of the pivot, or -1. */
    int pivot() {
        return pivot;
    }

    boolean hasCompensation(int i) {
        return is(i, StepKind.COMPENSATABLE) && step(i).isUndone();
    }

    boolean needsNoCompensation(int i) {
        return is(i, StepKind.COMPENSATABLE) && !step(i).isUndone();
    }

    boolean strictCompensation() {
        return definition.strictCompensation();
    }

    @Override
    public String toString() {
        return definition.toString();
    }
}
