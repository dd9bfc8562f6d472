package io.backstep.saga.engine;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.state.Call;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The condition, the action or the compensation of a step, with what it is called with and what becomes of its result. */
final class UserCode {
    private final Node node;
    private final InstanceLoop loop;
    private final Object input;
    private final Map<String, String> results;
    private final Instance instance;
    private final Call call;
    private final StepDefinition step;

    UserCode(Node node, InstanceLoop loop, Instance instance, Call call, StepDefinition step) {
        this.node = node;
        this.loop = loop;
        this.input = instance.input();
        this.results = instance.results();
        this.instance = instance;
        this.call = call;
        this.step = step;
    }

    /** Whether the step is to be run. */
    boolean holds(Supplier<Duration> timeLeft) {
        return step.condition() == null || step.condition().test(context(timeLeft));
    }

    private StepCall context(Supplier<Duration> timeLeft) {
        return new StepCall(
                node.json,
                instance.registered().definition(),
                loop.sagaId(),
                instance.businessKey(),
                input,
                results,
                call,
                loop.fence().epoch(),
                timeLeft,
                loop::owns);
    }

    /** Gives the result as it is stored; a compensation has none. */
    @Nullable
    String call(Supplier<Duration> timeLeft) throws Exception {
        StepCall context = context(timeLeft);
        if (call.phase() == Phase.COMPENSATION) {
            if (step.compensation() != null) {
                step.compensation().run(context, context.ownResult());
            }
            return null;
        }
        Object result = step.action().run(context);
        Type type = step.resultType();
        return result == null || type == null ? null : kept(result, type);
    }

    private String kept(Object result, Type type) throws ResultFailed {
        try {
            return node.json
                    .keep("the result of step " + step.name(), result, type)
                    .json();
        } catch (SagaSerializationException e) {
            throw new ResultFailed(e);
        }
    }
}
