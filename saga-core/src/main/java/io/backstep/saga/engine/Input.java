package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.List;
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

    /**
     * Takes back what is recorded and not called yet when mail waits to be merged: else one transactional step after the other could
     * keep it waiting, and a pivot could begin after the wish to turn.
     */
    static boolean mailFirst(List<Input> backlog, List<Call> calls, Duration now) {
        if (calls.isEmpty() || backlog.stream().allMatch(input -> input.mail() == null)) {
            return false;
        }
        backlog.addAll(
                0,
                calls.stream()
                        .map(call -> new Input(new SagaEvent.Withdrawn(now, call.step(), call.phase())))
                        .toList());
        backlog.add(new Input(new SagaEvent.TimePassed(now)));
        return true;
    }

    static SagaReason turns(Mail mail) {
        return switch (mail.kind()) {
            case CANCEL -> SagaReason.CANCELLED;
            case COMPENSATE -> SagaReason.OPERATOR;
        };
    }
}
