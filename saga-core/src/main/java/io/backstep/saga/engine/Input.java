package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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

    static Input withdrawn(Call call, Duration now) {
        return new Input(new SagaEvent.Withdrawn(now, call.step(), call.phase()));
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
        backlog.addAll(0, calls.stream().map(call -> withdrawn(call, now)).toList());
        backlog.add(new Input(new SagaEvent.TimePassed(now)));
        return true;
    }

    /** The ends of attempts among them. */
    static List<AttemptEnd> ends(List<Input> inputs) {
        return inputs.stream().map(Input::end).filter(Objects::nonNull).toList();
    }

    /** What parks a saga whose row cannot be written with what these attempts brought. */
    static List<Input> unreadable(List<AttemptEnd> ends, Duration now) {
        List<Integer> steps = ends.isEmpty()
                ? List.of(-1)
                : ends.stream().map(end -> end.call().step()).toList();
        return steps.stream()
                .map(step -> new Input(new SagaEvent.Stuck(now, step, SagaReason.UNREADABLE)))
                .toList();
    }

    static SagaReason turns(Mail mail) {
        return switch (mail.kind()) {
            case CANCEL -> SagaReason.CANCELLED;
            case COMPENSATE -> SagaReason.OPERATOR;
        };
    }
}
