package io.backstep.saga.test.exploration;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.Transition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The real machine, to be broken in one place. */
class Broken implements Machine {
    private final Machine machine;

    Broken(SagaDefinition<?> definition) {
        this.machine = Machine.of(definition);
    }

    @Override
    public Transition start(@Nullable Duration deadline) {
        return machine.start(deadline);
    }

    @Override
    public Transition on(SagaState state, SagaEvent event) {
        return machine.on(state, event);
    }

    @Override
    public Transition on(SagaState state, List<SagaEvent> events) {
        return machine.on(state, events);
    }

    @Override
    public @Nullable Duration wakeAt(SagaState state) {
        return machine.wakeAt(state);
    }

    @Override
    public List<Integer> compensationOrder(SagaState state) {
        return machine.compensationOrder(state);
    }
}
