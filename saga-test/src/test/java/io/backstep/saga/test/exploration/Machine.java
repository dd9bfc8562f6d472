package io.backstep.saga.test.exploration;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.Transition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is explored: the state machine, or one that was broken to see whether that is found. */
interface Machine {
    Transition start(@Nullable Duration deadline);

    Transition on(SagaState state, SagaEvent event);

    /** What one write records of several events. */
    Transition on(SagaState state, List<SagaEvent> events);

    @Nullable
    Duration wakeAt(SagaState state);

    List<Integer> compensationOrder(SagaState state);

    static Machine of(SagaDefinition<?> definition) {
        SagaMachine machine = new SagaMachine(definition);
        return new Machine() {
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
                return machine.on(state, events, false);
            }

            @Override
            public @Nullable Duration wakeAt(SagaState state) {
                return machine.wakeAt(state);
            }

            @Override
            public List<Integer> compensationOrder(SagaState state) {
                return machine.compensationOrder(state);
            }
        };
    }
}
