package io.backstep.saga.engine;

import io.backstep.saga.state.SagaEvent;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way to the machine.
 *
 * @param event the event
 * @param end the attempt that it is about, or null
 */
record Input(SagaEvent event, @Nullable AttemptEnd end) {
    Input(SagaEvent event) {
        this(event, null);
    }
}
