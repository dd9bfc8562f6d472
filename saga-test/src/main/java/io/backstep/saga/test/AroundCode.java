package io.backstep.saga.test;

import io.backstep.saga.Phase;
import io.backstep.saga.definition.Action;
import io.backstep.saga.definition.Compensation;
import io.backstep.saga.definition.Confirming;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.StepDefinition;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What is done around every action, probe, compensation and confirm of a definition; nobody has to change the definition for it. */
@FunctionalInterface
interface AroundCode {
    /**
     * Calls the user's code, or does not.
     *
     * @param call which
     * @param code the user's
     * @return what the engine is to see
     * @throws Exception what the engine is to see
     */
    @Nullable
    Object run(Call call, Callable<@Nullable Object> code) throws Exception;

    /**
     * A call of user code.
     *
     * @param step whose
     * @param phase action, probe, compensation or confirm
     * @param context what it is told
     */
    record Call(StepDefinition step, Phase phase, StepContext<Object> context) {
        boolean transactional() {
            return step.transactional(phase);
        }

        /** For people. */
        String name() {
            return SagaRun.words(phase) + step.name();
        }

        Duration timeout() {
            return step.timeout(phase);
        }
    }

    /** The same saga with this around its code. */
    default <I> SagaDefinition<I> in(SagaDefinition<I> definition) {
        return definition.withSteps(this::in);
    }

    private StepDefinition in(StepDefinition step) {
        Action<Object, Object> action = step.action();
        Action<Object, Probe<Object>> probe = step.probe();
        Compensation<Object, Object> compensation = step.compensation();
        StepDefinition around = step.calling(
                context -> run(new Call(step, Phase.ACTION, context), () -> action.run(context)),
                probe == null ? null : context -> probed(new Call(step, Phase.PROBE, context), probe),
                compensation == null
                        ? null
                        : (context, result) -> run(new Call(step, Phase.COMPENSATION, context), () -> {
                            compensation.run(context, result);
                            return null;
                        }));
        return around.confirming(confirming(step));
    }

    private @Nullable Confirming confirming(StepDefinition step) {
        Confirming given = step.confirming();
        return given == null
                ? null
                : new Confirming(
                        (context, result) -> run(new Call(step, Phase.CONFIRM, context), () -> {
                            given.confirmation().run(context, result);
                            return null;
                        }),
                        given.retry(),
                        given.timeout());
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // of a null the engine complains
    private Probe<Object> probed(Call call, Action<Object, Probe<Object>> probe) throws Exception {
        return (Probe<Object>) run(call, () -> probe.run(call.context()));
    }
}
