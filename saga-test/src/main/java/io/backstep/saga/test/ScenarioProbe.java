package io.backstep.saga.test;

import io.backstep.saga.Phase;
import io.backstep.saga.definition.Probe;
import org.jspecify.annotations.Nullable;

/**
 * What the probe of a step says, in the place of the user's code, or what goes wrong with it. It is asked only when nobody knows whether
 * the action took effect, so something must go wrong with that as well. Verbs of one probe follow each other: {@code
 * whenProbing(PAY).doesNotKnow(2)} and then {@code whenProbing(PAY).tookEffect(payment)} knows at the third question. What follows the
 * last of them reaches the user's probe.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public final class ScenarioProbe<I, R> {
    private static final int ALWAYS = Integer.MAX_VALUE;

    private final SagaScenario<I> scenario;
    private final StepScript script;
    private final String step;

    ScenarioProbe(SagaScenario<I> scenario, StepScript script, String step) {
        this.scenario = scenario;
        this.script = script;
        this.step = step;
    }

    /**
     * The action took effect, and would have returned this: the step is done.
     *
     * @param result the result, or null for none
     * @return the scenario
     */
    public SagaScenario<I> tookEffect(@Nullable R result) {
        return answers(ALWAYS, Probe.tookEffect(result));
    }

    /**
     * The action took effect, and has no result: the step is done.
     *
     * @return the scenario
     */
    public SagaScenario<I> tookEffect() {
        return tookEffect(null);
    }

    /**
     * The action did not take effect, and will not.
     *
     * @return the scenario
     */
    public SagaScenario<I> didNot() {
        return didNot(ALWAYS);
    }

    /**
     * The action did not take effect by then, and will not.
     *
     * @param times how many questions are answered so, the first ones
     * @return the scenario
     */
    public SagaScenario<I> didNot(int times) {
        return answers(times, Probe.didNot());
    }

    /**
     * The participant does not know, or not yet.
     *
     * @param times how many questions are answered so, the first ones
     * @return the scenario
     */
    public SagaScenario<I> doesNotKnow(int times) {
        return add(times, StepFault.DOES_NOT_KNOW);
    }

    /**
     * The participant never knows.
     *
     * @return the scenario
     */
    public SagaScenario<I> neverKnows() {
        return doesNotKnow(ALWAYS);
    }

    /**
     * Questions fail with an {@link java.io.IOException} before they reach the participant.
     *
     * @param times how many, the first ones
     * @return the scenario
     */
    public SagaScenario<I> fails(int times) {
        return add(times, StepFault.FAILS);
    }

    /**
     * Questions do not come back until the timeout of the step interrupts them.
     *
     * @param times how many, the first ones
     * @return the scenario
     */
    public SagaScenario<I> hangs(int times) {
        return add(times, StepFault.HANGS);
    }

    /**
     * The node dies just before the first question; another one takes over when its lease has run out.
     *
     * @return the scenario
     */
    public SagaScenario<I> crashesBefore() {
        return add(1, StepFault.CRASHES_BEFORE);
    }

    private SagaScenario<I> answers(int times, Probe<?> answer) {
        return add(times, (call, code, node, time) -> answer);
    }

    private SagaScenario<I> add(int times, StepFault fault) {
        script.add(step, Phase.PROBE, times, fault);
        return scenario;
    }
}
