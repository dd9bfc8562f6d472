package io.backstep.saga.state;

import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state machine of one definition: a state and an event in, the next state and what follows out. Pure. */
public final class SagaMachine {
    private final SagaDefinition<?> definition;

    /**
     * Makes a machine.
     *
     * @param definition the definition
     */
    public SagaMachine(SagaDefinition<?> definition) {
        this.definition = definition;
    }

    /**
     * The first transition.
     *
     * @param deadline counted from the creation, or null
     * @return what follows
     */
    public Transition start(@Nullable Duration deadline) {
        List<StepState> steps =
                definition.steps().stream().map(step -> StepState.NEW).toList();
        Draft draft = new Draft(
                definition, new SagaState(io.backstep.saga.SagaStatus.RUNNING, null, null, null, deadline, steps));
        draft.advance(Duration.ZERO);
        return draft.transition();
    }

    /**
     * What follows from an event.
     *
     * @param state the state before
     * @param event the event
     * @return what follows
     */
    public Transition on(SagaState state, SagaEvent event) {
        Draft draft = new Draft(definition, state);
        draft.apply(event);
        return draft.transition();
    }

    /**
     * When time alone makes something due.
     *
     * @param state the state
     * @return since the creation, or null
     */
    public @Nullable Duration wakeAt(SagaState state) {
        return new Draft(definition, state).wakeAt();
    }

    /**
     * The steps to compensate, in order.
     *
     * @param state the state
     * @return indices
     */
    public List<Integer> compensationOrder(SagaState state) {
        return new Draft(definition, state).compensationOrder();
    }
}
