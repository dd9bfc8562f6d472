package io.backstep.saga.test;

import io.backstep.saga.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong with an action, a compensation or a confirm. Verbs of one step follow each other: {@code when(PAY).fails(2)} and then
 * {@code when(PAY).rejects()} fails twice and is rejected the third time. What follows the last of them reaches the user's code.
 *
 * @param <I> the input of the saga
 * @param <R> the result of the step
 */
public final class ScenarioStep<I, R> {
    private static final int ALWAYS = Integer.MAX_VALUE;

    private final SagaScenario<I> scenario;
    private final StepScript script;
    private final String step;
    private final Phase phase;
    private final boolean startsSaga;

    ScenarioStep(SagaScenario<I> scenario, StepScript script, String step, Phase phase, boolean startsSaga) {
        this.scenario = scenario;
        this.script = script;
        this.step = step;
        this.phase = phase;
        this.startsSaga = startsSaga;
    }

    /**
     * The participant says no.
     *
     * @return the scenario
     */
    public SagaScenario<I> rejects() {
        return rejects("INJECTED");
    }

    /**
     * The participant says no: a {@link io.backstep.saga.StepRejectedException}.
     *
     * @param code its code
     * @return the scenario
     */
    public SagaScenario<I> rejects(String code) {
        return add(ALWAYS, StepFault.rejects(code));
    }

    /**
     * Calls fail with an {@link java.io.IOException} before they reach the participant, which the engine does not know.
     *
     * @param times how many, the first ones
     * @return the scenario
     */
    public SagaScenario<I> fails(int times) {
        return add(times, StepFault.FAILS);
    }

    /**
     * All calls fail, see {@link #fails}.
     *
     * @return the scenario
     */
    public SagaScenario<I> failsAlways() {
        return add(ALWAYS, StepFault.FAILS);
    }

    /**
     * All calls throw this, and do not reach the participant: to see what {@code rejectOn} and {@code retryOn} make of it.
     *
     * @param thrown what they throw
     * @return the scenario
     */
    public SagaScenario<I> failsWith(Exception thrown) {
        return add(ALWAYS, (call, code, node, time) -> {
            throw thrown;
        });
    }

    /**
     * Calls take effect, and then fail.
     *
     * @param times how many, the first ones
     * @return the scenario
     */
    public SagaScenario<I> losesReply(int times) {
        return add(times, StepFault.LOSES_REPLY);
    }

    /**
     * All calls take effect, and then fail.
     *
     * @return the scenario
     */
    public SagaScenario<I> alwaysLosesReply() {
        return add(ALWAYS, StepFault.LOSES_REPLY);
    }

    /**
     * Calls do not come back until the timeout of the step interrupts them, and have no effect.
     *
     * @param times how many, the first ones
     * @return the scenario
     */
    public SagaScenario<I> hangs(int times) {
        return add(times, StepFault.HANGS);
    }

    /**
     * The node dies just before the first call; another one takes over when its lease has run out.
     *
     * @return the scenario
     */
    public SagaScenario<I> crashesBefore() {
        return add(1, StepFault.CRASHES_BEFORE);
    }

    /**
     * The node dies just after the first call has taken effect; another one takes over when its lease has run out.
     *
     * @return the scenario
     */
    public SagaScenario<I> crashesAfter() {
        return add(1, StepFault.CRASHES_AFTER);
    }

    /**
     * Answers in the place of the user's code, which is not called.
     *
     * @param result the result, or null for none
     * @return the scenario
     * @throws IllegalArgumentException for a step that starts a saga: its result comes from that saga
     */
    public SagaScenario<I> answers(@Nullable R result) {
        if (startsSaga && phase == Phase.ACTION) {
            throw new IllegalArgumentException(
                    "step " + step
                            + " starts a saga, whose end is its answer: give a definition that ends as you want with with(child)");
        }
        return add(ALWAYS, (call, code, node, time) -> result);
    }

    private SagaScenario<I> add(int times, StepFault fault) {
        script.add(step, phase, times, fault);
        return scenario;
    }
}
