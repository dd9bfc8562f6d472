package io.backstep.saga.engine;

import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.ChildSaga;
import io.backstep.saga.definition.Confirming;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.state.Call;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Parent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The condition, the action, the probe, the compensation or the confirm of a step, with what it is called with and what becomes of its result. */
final class UserCode {
    private static final Duration SHORTEST = Duration.ofMillis(1);

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
                node.payloads,
                instance.registered().definition(),
                loop.sagaId(),
                instance.businessKey(),
                input,
                results,
                call,
                loop.fence().epoch(),
                instance.keys().getOrDefault(step.name(), step.name()),
                timeLeft,
                loop::owns);
    }

    /** Gives the result as it is stored; a compensation has none, nor has a confirm. */
    @Nullable
    String call(Supplier<Duration> timeLeft) throws Exception {
        StepCall context = context(timeLeft);
        switch (call.phase()) {
            case COMPENSATION -> {
                if (step.compensation() != null) {
                    step.compensation().run(context, context.ownResult());
                }
                return null;
            }
            case CONFIRM -> {
                Confirming confirming = Objects.requireNonNull(step.confirming());
                confirming.confirmation().run(context, context.ownResult().orElse(null));
                return null;
            }
            default -> {
                return stored(step.action().run(context));
            }
        }
    }

    /** What the probe says, with the result as it is stored. Another version may have asked for one that this definition lacks. */
    AttemptEnd probe(Supplier<Duration> timeLeft, Supplier<Duration> took) throws Exception {
        if (step.probe() == null) {
            return AttemptEnd.probed(call, Probe.Answer.UNKNOWN, null, took.get());
        }
        Probe<Object> found = step.probe().run(context(timeLeft));
        if (found == null) {
            throw new IllegalStateException(
                    "the probe of step " + step.name() + " returned null; it must say what it knows");
        }
        return AttemptEnd.probed(call, found.answer(), stored(found.result()), took.get());
    }

    private @Nullable String stored(@Nullable Object result) throws ResultFailed {
        Type type = step.resultType();
        return result == null || type == null ? null : kept(result, type);
    }

    /** The child of the step, as it is to be inserted. It may take as long as its parent may, while that matters. */
    NewInstance child(Supplier<Duration> timeLeft) throws Exception {
        ChildSaga child = Objects.requireNonNull(step.child());
        if (ChildIds.depth(loop.sagaId(), instance.parent()) + 1 == ChildIds.GENERATIONS) {
            throw new StepRejectedException(
                    "SAGA-STEP-004",
                    "step " + step.name() + " would start " + child.type() + " as a child of generation "
                            + (ChildIds.GENERATIONS + 1) + "; " + ChildIds.GENERATIONS + " are allowed");
        }
        Object made = step.action().run(context(timeLeft));
        Registered registered = node.registry.toStart(child.type().name(), child.version());
        return node.newSagas
                .of(
                        registered,
                        made,
                        ChildIds.of(
                                loop.sagaId(),
                                instance.parent(),
                                step.name(),
                                loop.state().steps().get(call.step()).children() + 1),
                        null,
                        budget(registered.definition().deadline(), loop.untilDeadline()),
                        Duration.ZERO,
                        null,
                        new Parent(
                                loop.sagaId(),
                                step.name(),
                                child.output() == null ? null : child.output().name()))
                .row();
    }

    private static @Nullable Duration budget(@Nullable Duration own, @Nullable Duration parents) {
        if (parents == null || (own != null && own.compareTo(parents) < 0)) {
            return own;
        }
        return parents.compareTo(SHORTEST) < 0 ? SHORTEST : parents;
    }

    private @Nullable String kept(Object result, Type type) throws ResultFailed {
        try {
            return node.payloads
                    .keep(
                            PayloadField.result(loop.sagaId(), step.name()),
                            "the result of step " + step.name(),
                            result,
                            type)
                    .result();
        } catch (SagaSerializationException e) {
            throw new ResultFailed(e);
        }
    }
}
