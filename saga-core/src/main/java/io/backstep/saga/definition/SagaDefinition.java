package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A saga, as immutable data: it can be listed, drawn, fingerprinted and compared. Built by {@link Saga#define}.
 *
 * @param <I> the input of the saga
 */
public final class SagaDefinition<I> {
    private final SagaType<I> type;
    private final int version;
    private final List<StepDefinition> steps;
    private final @Nullable Duration deadline;
    private final boolean strictCompensation;
    private final String definedAt;

    SagaDefinition(
            SagaType<I> type,
            int version,
            List<StepDefinition> steps,
            @Nullable Duration deadline,
            boolean strictCompensation,
            String definedAt) {
        this.type = type;
        this.version = version;
        this.steps = List.copyOf(steps);
        this.deadline = deadline;
        this.strictCompensation = strictCompensation;
        this.definedAt = definedAt;
    }

    /**
     * Name and input type.
     *
     * @return the type
     */
    public SagaType<I> type() {
        return type;
    }

    /**
     * The name of the type.
     *
     * @return the name
     */
    public String name() {
        return type.name();
    }

    /**
     * The version, 1 unless said.
     *
     * @return at least 1
     */
    public int version() {
        return version;
    }

    /**
     * The steps, in the order of their declaration.
     *
     * @return an unmodifiable list
     */
    public List<StepDefinition> steps() {
        return steps;
    }

    /**
     * Whether once completed it is not undone, not even for its parent.
     *
     * @return true when one of its steps is a pivot or a TCC step
     */
    public boolean staysCompleted() {
        return steps.stream().anyMatch(step -> step.kind() == StepKind.PIVOT || step.confirming() != null);
    }

    /**
     * Finds a step by name.
     *
     * @param stepName its name
     * @return its index in {@link #steps()}, or -1
     */
    public int indexOf(String stepName) {
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).name().equals(stepName)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Finds the step that takes a signal.
     *
     * @param signal what the signal is sent to: a step that waits, or what a compensation awaits
     * @return its index in {@link #steps()}, or -1
     */
    public int indexOfSignal(String signal) {
        for (int i = 0; i < steps.size(); i++) {
            if (signal.equals(steps.get(i).signal())) {
                return i;
            }
        }
        return -1;
    }

    /**
     * How long after its start the saga turns, if it is still undecided.
     *
     * @return the time, or null for no limit
     */
    public @Nullable Duration deadline() {
        return deadline;
    }

    /**
     * Whether the first compensation that is spent stops the others.
     *
     * @return false unless said
     */
    public boolean strictCompensation() {
        return strictCompensation;
    }

    /**
     * Where its definition begins, for messages: two definitions may be alike.
     *
     * @return class, method, file and line, as in a stack trace
     */
    public String definedAt() {
        return definedAt;
    }

    /**
     * What may not change under one version, readable: of each step its name, kind, whether it is transactional and whether its compensation
     * is, whether it has a result, a confirm and a condition, what kind of thing it waits for instead of calling somebody, and which steps it
     * waits for; and their order.
     *
     * @return one line per step
     */
    public String fingerprint() {
        return Fingerprint.of(this);
    }

    /**
     * Compares this definition with the fingerprint of another, such as the one that is stored for its version.
     *
     * @param storedFingerprint what {@link #fingerprint()} returned for the other
     * @return one line for each difference, for people; empty when there is none
     */
    public List<String> differences(String storedFingerprint) {
        return Fingerprint.differences(storedFingerprint, fingerprint());
    }

    /**
     * Tells all that this definition says, without its code.
     *
     * @return the description, which can be written as JSON
     */
    public SagaDescription describe() {
        return SagaDescription.of(this);
    }

    /**
     * Draws the steps, their kinds, what they wait for, and which have a condition or a compensation.
     *
     * @return the text of a Mermaid flowchart
     */
    public String diagram() {
        return Diagram.of(this);
    }

    /**
     * The same saga with changed steps, such as {@link StepDefinition#calling other code} around theirs in a test.
     *
     * @param change makes a step of each; must leave what {@link #fingerprint()} tells, and whether there is a compensation
     * @return a changed copy
     * @throws IllegalArgumentException when it would be another saga
     */
    public SagaDefinition<I> withSteps(UnaryOperator<StepDefinition> change) {
        List<StepDefinition> changed = new ArrayList<>();
        for (StepDefinition step : steps) {
            StepDefinition other = change.apply(step);
            if ((step.compensation() == null) != (other.compensation() == null)
                    || !Objects.equals(step.child(), other.child())) {
                throw new IllegalArgumentException("step " + step.name() + " of " + this
                        + " has a compensation in one form and none in the other, or another child");
            }
            changed.add(other);
        }
        SagaDefinition<I> copy = new SagaDefinition<>(type, version, changed, deadline, strictCompensation, definedAt);
        if (!copy.fingerprint().equals(fingerprint())) {
            throw new IllegalArgumentException(this + " would be another saga: " + copy.differences(fingerprint()));
        }
        return copy;
    }

    /**
     * Whether a step waits for another, directly or not.
     *
     * @param stepName the name of the one; it is a step of this saga
     * @param earlier the name of the other
     * @return true when it begins only once the other is done
     */
    public boolean comesAfter(String stepName, String earlier) {
        return before(steps.get(indexOf(stepName)).waitsFor()).contains(earlier);
    }

    /** The steps that a step waits for, without those that the others of them wait for. */
    List<String> directlyBefore(StepDefinition step) {
        Set<String> implied = before(step.waitsFor().stream()
                .flatMap(name -> steps.get(indexOf(name)).waitsFor().stream())
                .toList());
        return step.waitsFor().stream().filter(name -> !implied.contains(name)).toList();
    }

    /** These steps, and all that they wait for. */
    private Set<String> before(List<String> names) {
        Set<String> found = new HashSet<>(names);
        Deque<String> open = new ArrayDeque<>(found);
        while (!open.isEmpty()) {
            for (String before : steps.get(indexOf(open.pop())).waitsFor()) {
                if (found.add(before)) {
                    open.push(before);
                }
            }
        }
        return found;
    }

    @Override
    public String toString() {
        return name() + " v" + version;
    }
}
