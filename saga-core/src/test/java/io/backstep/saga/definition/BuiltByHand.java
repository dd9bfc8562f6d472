package io.backstep.saga.definition;

import io.backstep.saga.SagaType;
import java.util.List;
import java.util.Map;

/** Definitions that the DSL has no words for yet. */
public final class BuiltByHand {
    private BuiltByHand() {}

    /** The same saga, with other steps to wait for; steps that are not named wait for none. */
    public static SagaDefinition<String> waiting(SagaDefinition<String> linear, Map<String, List<String>> waitsFor) {
        List<StepDefinition> steps = linear.steps().stream()
                .map(step -> waiting(step, waitsFor.getOrDefault(step.name(), List.of())))
                .toList();
        return new SagaDefinition<>(
                SagaType.named(linear.name(), String.class),
                linear.version(),
                steps,
                linear.deadline(),
                linear.strictCompensation());
    }

    private static StepDefinition waiting(StepDefinition step, List<String> names) {
        return new StepDefinition(
                step.name(),
                step.kind(),
                step.resultType(),
                step.transactional(),
                names,
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
