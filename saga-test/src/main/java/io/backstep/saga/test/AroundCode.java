package io.backstep.saga.test;

import io.backstep.saga.Phase;
import io.backstep.saga.definition.Action;
import io.backstep.saga.definition.Compensation;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.StepDefinition;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What is done around every action, probe and compensation of a definition; nobody has to change the definition for it. */
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
     * @param phase action, probe or compensation
     * @param context what it is told
     */
    record Call(StepDefinition step, Phase phase, StepContext<Object> context) {
        boolean transactional() {
            return switch (phase) {
                case ACTION -> step.transactional();
                case COMPENSATION -> step.compensationTransactional();
                default -> false;
            };
        }

        /** For people. */
        String name() {
            return switch (phase) {
                case PROBE -> "probe " + step.name();
                case COMPENSATION -> "undo " + step.name();
                default -> step.name();
            };
        }

        Duration timeout() {
            return phase == Phase.COMPENSATION ? step.compensationTimeout() : step.timeout();
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
        return step.calling(
                context -> run(new Call(step, Phase.ACTION, context), () -> action.run(context)),
                probe == null ? null : context -> probed(new Call(step, Phase.PROBE, context), probe),
                compensation == null
                        ? null
                        : (context, result) -> run(new Call(step, Phase.COMPENSATION, context), () -> {
                            compensation.run(context, result);
                            return null;
                        }));
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // of a null the engine complains
    private Probe<Object> probed(Call call, Action<Object, Probe<Object>> probe) throws Exception {
        return (Probe<Object>) run(call, () -> probe.run(call.context()));
    }
}
