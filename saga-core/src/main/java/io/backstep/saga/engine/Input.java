package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way to the machine.
 *
 * @param event the event
 * @param end the attempt that it is about, or null
 * @param mail the message that it merges, or null
 */
record Input(
        SagaEvent event, @Nullable AttemptEnd end, @Nullable Mail mail) {
    Input(SagaEvent event) {
        this(event, null, null);
    }

    Input(SagaEvent event, AttemptEnd end) {
        this(event, end, null);
    }

    /** What a message wants of the machine. */
    static Input of(Mail mail, Duration now) {
        return new Input(new SagaEvent.TurnRequested(now, turns(mail)), null, mail);
    }

    static SagaReason turns(Mail mail) {
        return switch (mail.kind()) {
            case CANCEL -> SagaReason.CANCELLED;
            case COMPENSATE -> SagaReason.OPERATOR;
        };
    }
}
