package io.backstep.saga.definition;

import java.util.List;
import java.util.Map;

/** Definitions that the DSL cannot say yet. */
public final class HandMade {
    private HandMade() {}

    /** The same saga, but the named steps wait for others than those before them. */
    public static <I> SagaDefinition<I> waiting(SagaDefinition<I> linear, Map<String, List<String>> waitsFor) {
        List<StepDefinition> steps = linear.steps().stream()
                .map(step -> waiting(step, waitsFor.getOrDefault(step.name(), step.waitsFor())))
                .toList();
        return new SagaDefinition<>(
                linear.type(), linear.version(), steps, linear.deadline(), linear.strictCompensation());
    }

    private static StepDefinition waiting(StepDefinition step, List<String> waitsFor) {
        return new StepDefinition(
                step.name(),
                step.kind(),
                step.resultType(),
                step.transactional(),
                waitsFor,
                step.action(),
                step.compensation(),
                step.noCompensation(),
                step.retry(),
                step.timeout(),
                step.compensationTransactional(),
                step.compensationRetry(),
                step.compensationTimeout());
    }
}
