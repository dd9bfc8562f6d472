package io.backstep.saga.test;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.engine.StepView;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions on a saga. Each fails with an {@link AssertionError} that says what was expected, and prints the history. */
public final class SagaAssert extends AbstractAssert<SagaAssert, SagaRun> {
    SagaAssert(SagaRun run) {
        super(run, SagaAssert.class);
    }

    /**
     * Checks the status.
     *
     * @param expected the status
     * @return this
     */
    public SagaAssert hasStatus(SagaStatus expected) {
        return check("the status", actual.saga().status(), expected);
    }

    /**
     * Checks why it is parked, else why it turned.
     *
     * @param expected the reason, or null for none
     * @return this
     */
    public SagaAssert hasReason(@Nullable SagaReason expected) {
        return check("the reason", actual.saga().reason(), expected);
    }

    /**
     * Checks that it is COMPLETED.
     *
     * @return this
     */
    public SagaAssert completed() {
        return hasStatus(SagaStatus.COMPLETED);
    }

    /**
     * Checks that it is COMPENSATED, by these compensations in this order, and no others.
     *
     * @param steps names of steps, the one that was undone first first; those that have nothing to undo do not count
     * @return this
     */
    public SagaAssert compensated(String... steps) {
        return hasStatus(SagaStatus.COMPENSATED).undid(steps);
    }

    /**
     * Checks which steps were undone, and in which order, whatever the status.
     *
     * @param steps names of steps, the one that was undone first first; those that have nothing to undo do not count
     * @return this
     */
    public SagaAssert undid(String... steps) {
        return check("undone, in this order", actual.undone(), known(steps));
    }

    /**
     * Checks which TCC steps were confirmed, in whatever order and whatever the status: these, and no others.
     *
     * @param steps names of steps
     * @return this
     */
    public SagaAssert confirmed(String... steps) {
        return check(
                "confirmed",
                actual.confirmed().stream().sorted().toList(),
                known(steps).stream().sorted().toList());
    }

    /**
     * Checks that it is parked, and waits for an operator.
     *
     * @param reason why
     * @return this
     */
    public SagaAssert parked(SagaReason reason) {
        return hasStatus(SagaStatus.FAILED).hasReason(reason);
    }

    /**
     * Checks the status of a step.
     *
     * @param step its name
     * @param expected the status
     * @return this
     */
    public SagaAssert hasStep(String step, StepStatus expected) {
        return check("the status of step " + step, view(step).status(), expected);
    }

    /**
     * Checks how often the action of a step was attempted; attempts count whose node died.
     *
     * @param step its name
     * @param expected how often; 0 for never
     * @return this
     */
    public SagaAssert hasAttempts(String step, int expected) {
        view(step);
        return check("attempts of step " + step, actual.attempts(step, Phase.ACTION), expected);
    }

    /**
     * Checks how often the probe of a step was asked; questions count whose node died.
     *
     * @param step its name
     * @param expected how often; 0 for never
     * @return this
     */
    public SagaAssert hasProbes(String step, int expected) {
        view(step);
        return check("probes of step " + step, actual.attempts(step, Phase.PROBE), expected);
    }

    /**
     * Checks how often the compensation of a step was attempted; attempts count whose node died.
     *
     * @param step its name
     * @param expected how often; 0 for never
     * @return this
     */
    public SagaAssert hasCompensationAttempts(String step, int expected) {
        view(step);
        return check("attempts to undo step " + step, actual.attempts(step, Phase.COMPENSATION), expected);
    }

    /**
     * Checks how often the confirm of a TCC step was attempted; attempts count whose node died.
     *
     * @param step its name
     * @param expected how often; 0 for never
     * @return this
     */
    public SagaAssert hasConfirmAttempts(String step, int expected) {
        view(step);
        return check("attempts to confirm step " + step, actual.attempts(step, Phase.CONFIRM), expected);
    }

    /**
     * Checks the recorded result of a step.
     *
     * @param step the step
     * @param expected the result
     * @param <R> its result
     * @return this
     */
    public <R> SagaAssert hasResult(Step<R> step, R expected) {
        return check("the result of step " + step.name(), actual.saga().result(step), Optional.of(expected));
    }

    /**
     * Checks that a step has no recorded result.
     *
     * @param step the step
     * @return this
     */
    public SagaAssert hasNoResult(Step<?> step) {
        return check("the result of step " + step.name(), actual.saga().result(step), Optional.empty());
    }

    /**
     * Checks the whole history.
     *
     * @param lines as {@link SagaRun#lines()} tells
     * @return this
     */
    public SagaAssert hasHistory(String... lines) {
        return check("the history", actual.lines(), Arrays.asList(lines));
    }

    /**
     * Checks that the history has these lines, in this order, and perhaps others between them.
     *
     * @param lines as {@link SagaRun#lines()} tells
     * @return this
     */
    public SagaAssert hasInHistory(String... lines) {
        List<String> left = actual.lines();
        for (String line : lines) {
            int at = left.indexOf(line);
            if (at < 0) {
                throw failure(
                        "the history, in this order: expected %s, but %s is not there%n%s",
                        Arrays.asList(lines), line, actual);
            }
            left = left.subList(at + 1, left.size());
        }
        return this;
    }

    private List<String> known(String... steps) {
        for (String step : steps) {
            view(step);
        }
        return Arrays.asList(steps);
    }

    private StepView view(String step) {
        List<StepView> steps = actual.saga().steps();
        return steps.stream()
                .filter(view -> view.name().equals(step))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no step " + step + ", only "
                        + steps.stream().map(StepView::name).toList()));
    }

    private SagaAssert check(String what, @Nullable Object is, @Nullable Object expected) {
        if (!Objects.equals(is, expected)) {
            throw failure("%s: expected %s, but it is %s%n%s", what, expected, is, actual);
        }
        return this;
    }
}
