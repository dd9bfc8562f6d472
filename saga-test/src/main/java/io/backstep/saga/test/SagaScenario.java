package io.backstep.saga.test;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.InMemorySagaStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One saga, and what goes wrong with it: the real engine on a store in memory, on one thread and on virtual time, so that an hour of
 * retries takes milliseconds and each run is the same. The definition is the user's own, with participants that suit a test; what goes
 * wrong is put around its actions, probes, compensations and confirms.
 *
 * <pre>{@code
 * SagaScenario.of(PlaceOrderSaga.definition(orders, payments))
 *     .given(new PlaceOrder("book", 1))
 *     .when(PAY).fails(2)
 *     .when("confirm-order").rejects()
 *     .then()
 *     .compensated("process-payment", "create-order")
 *     .hasAttempts("process-payment", 3);
 * }</pre>
 *
 * <p>Code that blocks on something of its own blocks the test. For use on one thread.
 *
 * @param <I> the input of the saga
 */
public final class SagaScenario<I> {
    private final SagaDefinition<I> definition;
    private final List<SagaDefinition<?>> children = new ArrayList<>();
    private final StepScript script = new StepScript();
    private final List<Moment> moments = new ArrayList<>();
    private @Nullable I input;
    private StartOptions options = StartOptions.none();
    private Duration patience = Duration.ofDays(2);

    private SagaScenario(SagaDefinition<I> definition) {
        this.definition = definition;
    }

    /**
     * Begins a scenario.
     *
     * @param definition the saga
     * @param <I> its input
     * @return the scenario, which needs an input
     */
    public static <I> SagaScenario<I> of(SagaDefinition<I> definition) {
        return new SagaScenario<>(definition);
    }

    /**
     * Lets the saga start another one: without faults of its own, and awaited in the same virtual time.
     *
     * @param child the definition of a saga that a step starts
     * @return this
     */
    public SagaScenario<I> with(SagaDefinition<?> child) {
        children.add(child);
        return this;
    }

    /**
     * Gives the saga its input.
     *
     * @param what the input
     * @return this
     */
    public SagaScenario<I> given(I what) {
        this.input = what;
        return this;
    }

    /**
     * Starts the saga with options: a business key, another deadline.
     *
     * @param how the options
     * @return this
     */
    public SagaScenario<I> startedWith(StartOptions how) {
        this.options = how;
        return this;
    }

    /**
     * What goes wrong with the action of a step.
     *
     * @param step its name
     * @return what may go wrong
     * @throws IllegalArgumentException when the saga has no such step, or it waits for a signal or a time, see {@link #at}
     */
    public ScenarioStep<I, Object> when(String step) {
        return step(step, Phase.ACTION);
    }

    /**
     * What goes wrong with the action of a step.
     *
     * @param step the step
     * @param <R> its result
     * @return what may go wrong
     * @throws IllegalArgumentException when the saga has no such step, or it waits for a signal or a time, see {@link #at}
     */
    public <R> ScenarioStep<I, R> when(Step<R> step) {
        return step(step.name(), Phase.ACTION);
    }

    /**
     * What goes wrong with the compensation of a step.
     *
     * @param step its name
     * @return what may go wrong
     * @throws IllegalArgumentException when the saga has no such step with a compensation
     */
    public ScenarioStep<I, Void> whenUndoing(String step) {
        return step(step, Phase.COMPENSATION);
    }

    /**
     * What goes wrong with the compensation of a step.
     *
     * @param step the step
     * @return what may go wrong
     * @throws IllegalArgumentException when the saga has no such step with a compensation
     */
    public ScenarioStep<I, Void> whenUndoing(Step<?> step) {
        return whenUndoing(step.name());
    }

    /**
     * What the probe of a step says when it is asked.
     *
     * @param step its name
     * @return what it may say
     * @throws IllegalArgumentException when the saga has no such step with a probe
     */
    public ScenarioProbe<I, Object> whenProbing(String step) {
        return probe(step);
    }

    /**
     * What the probe of a step says when it is asked.
     *
     * @param step the step
     * @param <R> its result
     * @return what it may say
     * @throws IllegalArgumentException when the saga has no such step with a probe
     */
    public <R> ScenarioProbe<I, R> whenProbing(Step<R> step) {
        return probe(step.name());
    }

    /**
     * What goes wrong with the confirm of a TCC step.
     *
     * @param step its name
     * @return what may go wrong
     * @throws IllegalArgumentException when the saga has no such step with a confirm
     */
    public ScenarioStep<I, Void> whenConfirming(String step) {
        return step(step, Phase.CONFIRM);
    }

    /**
     * What goes wrong with the confirm of a TCC step.
     *
     * @param step the step
     * @return what may go wrong
     * @throws IllegalArgumentException when the saga has no such step with a confirm
     */
    public ScenarioStep<I, Void> whenConfirming(Step<?> step) {
        return whenConfirming(step.name());
    }

    /**
     * Lets somebody do something meanwhile, such as cancel the saga.
     *
     * @param time after its start
     * @param what is handed a client, and the id of the saga
     * @return this
     */
    public SagaScenario<I> at(Duration time, BiConsumer<SagaClient, UUID> what) {
        moments.add(new Moment(time, what));
        return this;
    }

    /**
     * How long the saga may take.
     *
     * @param time of virtual time; two days unless given
     * @return this
     */
    public SagaScenario<I> atMost(Duration time) {
        this.patience = time;
        return this;
    }

    /**
     * Plays it, and begins to check the saga. May be called again, which plays it again.
     *
     * @return assertions on what has become of it
     * @throws IllegalStateException without an input
     */
    public SagaAssert then() {
        return SagaAssertions.assertThat(run());
    }

    /**
     * Plays it until the saga has ended or is parked, or its time is over. May be called again, which plays it again.
     *
     * @return what has become of it
     * @throws IllegalStateException without an input
     * @throws io.backstep.saga.SagaException when it cannot be started
     */
    public SagaRun run() {
        I given = input;
        if (given == null) {
            throw new IllegalStateException("the scenario of " + definition + " has no input; say given(input)");
        }
        return new Play(script.fresh()).play(given);
    }

    private <R> ScenarioStep<I, R> step(String name, Phase phase) {
        switch (phase) {
            case COMPENSATION -> require(name, " with a compensation", step -> step.compensation() != null);
            case CONFIRM -> require(name, " with a confirm", step -> step.confirming() != null);
            default -> requireAction(name);
        }
        return new ScenarioStep<>(this, script, name, phase, startsSaga(name));
    }

    /** A wait calls nothing that could go wrong. */
    private void requireAction(String name) {
        require(name, "", step -> true);
        if (definition.steps().get(definition.indexOf(name)).waiting() != null) {
            throw new IllegalArgumentException("step " + name + " of " + definition
                    + " waits and calls nothing: send its signal with at(time, (sagas, id) -> sagas.signal(...)) or signalRejected;"
                    + " without, it runs into its timeout");
        }
    }

    private boolean startsSaga(String name) {
        int at = definition.indexOf(name);
        return at >= 0 && definition.steps().get(at).child() != null;
    }

    private <R> ScenarioProbe<I, R> probe(String name) {
        require(name, " with a probe", step -> step.probe() != null);
        return new ScenarioProbe<>(this, script, name);
    }

    private void require(String name, String what, Predicate<StepDefinition> has) {
        if (definition.steps().stream().noneMatch(step -> step.name().equals(name) && has.test(step))) {
            throw new IllegalArgumentException(definition + " has no step " + name + what);
        }
    }

    /** One run: a store, a time, and a node after the other. */
    private final class Play {
        private final VirtualTime time = new VirtualTime();
        private final InMemorySagaStore store = new InMemorySagaStore(time::now);
        private final StepScript faults;
        private int nodes;
        private KitNode node;

        private Play(StepScript faults) {
            this.faults = faults;
            this.node = node();
        }

        private KitNode node() {
            Tuning tuning = Tuning.defaults()
                    .withNodeId("node-" + ++nodes)
                    .withLease(Duration.ofSeconds(10), Duration.ofSeconds(5));
            KitNode next = new KitNode(time, store, store.transactions(), tuning);
            AroundCode around = (call, code) -> {
                if (!next.alive()) {
                    throw next.died();
                }
                return faults.next(call.step().name(), call.phase()).run(call, code, next, time);
            };
            AroundCode alive = (call, code) -> {
                if (!next.alive()) {
                    throw next.died();
                }
                return code.call();
            };
            List<SagaDefinition<?>> all = new ArrayList<>(List.of(around.in(definition)));
            children.forEach(child -> all.add(alive.in(child)));
            next.start(all);
            return next;
        }

        private SagaRun play(I given) {
            UUID id = node.client()
                    .start(definition.type(), given, options.version(definition.version()))
                    .sagaId();
            for (Moment moment : moments) {
                time.timer().after(moment.time(), () -> moment.what().accept(living().client(), id));
            }
            time.runUntil(() -> !active(living(), id), patience);
            return SagaRun.of(living().client(), SagaAdmin.of(living().engine()), id);
        }

        private boolean active(KitNode on, UUID id) {
            SagaStatus status = on.client().find(id).orElseThrow().status();
            return status == SagaStatus.RUNNING || status == SagaStatus.COMPENSATING;
        }

        private KitNode living() {
            if (!node.alive()) {
                node = node();
            }
            return node;
        }
    }
}
